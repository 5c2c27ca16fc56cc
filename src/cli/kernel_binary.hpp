// The readable contents of a driver's binary of a program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace duoblas::cli {

/// The binary as text, if it is nothing else (NVIDIA: PTX), without trailing zeros.
std::optional<std::string> as_text(std::span<const unsigned char> binary);

/// An ELF object of this machine's processor inside a binary.
struct MachineCode {
  std::string path;    ///< in the driver's archive, e.g. "/gemm/0-0-0/gemm.so"; may be empty
  std::string kernel;  ///< the path's first part
  std::span<const unsigned char> bytes;
};

/// All such objects, wherever they start, so that a driver's own format around them does not
/// matter. PoCL stores one per kernel and size of launch. `binary` must outlive the result.
std::vector<MachineCode> machine_code(std::span<const unsigned char> binary);

/// The object that launches of a kernel use. PoCL has several: one for any size of work-group, and
/// better ones for the sizes that it knows of. Null: there is none.
const MachineCode* code_of_kernel(const std::vector<MachineCode>& objects,
                                  const std::string& kernel);

}  // namespace duoblas::cli
