// Text for compilers and files. Programs may set another global locale (std::locale::global), in
// which a stream writes 4096 as "4,096".
#pragma once

#include <locale>
#include <sstream>

namespace duoblas {

/// Writes numbers as C++ source has them, whatever the program's locale is.
class ClassicText : public std::ostringstream {
 public:
  ClassicText() { imbue(std::locale::classic()); }
};

}  // namespace duoblas
