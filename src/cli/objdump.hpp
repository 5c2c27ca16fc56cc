// Disassembles machine code with binutils.
#pragma once

#include <iosfwd>

#include "cli/kernel_binary.hpp"

namespace duoblas::cli {

/// Writes the object to a temporary file, which objdump disassembles. PoCL makes several copies of
/// a kernel; only the one that it calls is printed. \throws Error if objdump is missing or
/// fails.
void disassemble(const MachineCode& object, std::ostream& out);

}  // namespace duoblas::cli
