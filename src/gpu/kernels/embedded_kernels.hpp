// The files of kernels/, compiled into the library by cmake/EmbedKernels.cmake.
#pragma once

#include <span>
#include <string_view>

namespace duoblas {

/// The text of kernels/`file`; empty if there is no such file.
std::string_view embedded_kernel(std::string_view file);

/// The names of all files.
std::span<const std::string_view> embedded_kernels();

}  // namespace duoblas
