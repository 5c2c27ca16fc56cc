// PTX of kernels/nvidia_wide.clh with the instructions that the driver's OpenCL compiler must not
// see.
#pragma once

#include <string_view>
#include <vector>

namespace duoblas {

/// Whether a kernel's source has marked comments.
bool hides_instructions(std::string_view source);

/// NVIDIA's OpenCL compiler compiles for sm_90, and an instruction of sm_90a alone ends its build.
/// A program's binary is PTX, though, and the driver builds that for whatever it says it is for. So
/// marked comments become instructions here, and the target sm_90a. \throws DeviceError where the
/// binary is no PTX for sm_90, or has no such comment: it is to be built as nothing else then.
std::vector<unsigned char> patched_ptx(const std::vector<unsigned char>& binary);

}  // namespace duoblas
