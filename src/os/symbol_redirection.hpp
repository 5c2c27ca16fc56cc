// Lets libraries find functions of the host where they would find those of a private C library.
#pragma once

#include <link.h>

#include <span>
#include <string>

namespace duoblas {

struct Redirection {
  const char* name;  ///< every version of the symbol
  void* target;
  bool required = false;
};

/// Changes the symbol table of a loaded object in memory, so that what is loaded later and binds to
/// one of these names gets the target, and so does the object itself where it calls the name
/// through its global offset table. Names that it does not define are passed over unless they are
/// required. Empty: done; otherwise why not, and then the object must not be used.
/// \pre nobody uses the object yet.
std::string redirect_symbols(const link_map& object, std::span<const Redirection> redirections);

}  // namespace duoblas
