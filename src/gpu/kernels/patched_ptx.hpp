// Puts instructions into the PTX of kernels/nvidia_wide.clh that the driver's OpenCL compiler would
// refuse.
#pragma once

#include <string_view>
#include <vector>

namespace duoblas {

/// Whether a kernel's source has marked comments.
bool hides_instructions(std::string_view source);

/// NVIDIA's OpenCL compiler compiles for sm_90, and an instruction that only sm_90a has ends its
/// build. But a program's binary is PTX, and the driver builds that for the target that it names.
/// So this turns marked comments into instructions, and the target into sm_90a. \throws DeviceError
/// if the binary is no PTX for sm_90, or has no marked comment: then it must not be built.
std::vector<unsigned char> patched_ptx(const std::vector<unsigned char>& binary);

}  // namespace duoblas
