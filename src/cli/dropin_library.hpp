// The place of the drop-in BLAS that belongs to this command.
#pragma once

#include <string>

namespace duoblas::cli {

/// The absolute path of libduoblas_blas, beside the command's own build or installed tree.
/// \throws Error that names where it was looked for, or why the path cannot be preloaded.
std::string dropin_library();

}  // namespace duoblas::cli
