#include "cli/kernel_assembly.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/kernel_binary.hpp"
#include "cli/kernel_explained.hpp"
#include "cli/program_output.hpp"
#include "kernel_space/kernel_description.hpp"

namespace duoblas::cli {
namespace {

std::vector<unsigned char> binary_of(GpuSide& gpu, const KernelVariant& variant) {
  std::vector<unsigned char> binary;
  try {
    binary = gpu.binary(variant);
  } catch (const DeviceError& error) {
    std::cerr << error.what() << '\n';
    throw Error("this kernel cannot be built for " + gpu.info().name +
                ", which said what is above: change it with --set, or its files "
                "(DUOBLAS_KERNEL_DIR)");
  }
  if (binary.empty()) throw Error("the driver of " + gpu.info().name + " gives no binaries");
  return binary;
}

// What the file contains, and how to read it.
std::string contents(const std::vector<unsigned char>& binary) {
  if (as_text(binary)) return "text";
  const auto objects = machine_code(binary);
  if (objects.empty()) return "in the driver's own format, which the driver's tools read";
  std::string names = "holds machine code for objdump (duoblas kernel --asm prints it)";
  for (const MachineCode& object : objects) {
    const auto offset = object.bytes.data() - binary.data();
    names += "\n  at byte " + std::to_string(offset) + ", " + std::to_string(object.bytes.size()) +
             " bytes: " + (object.path.empty() ? "an ELF object" : object.path);
  }
  return names;
}

void write_binary(const std::string& path, const std::vector<unsigned char>& binary) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(binary.data()),
             static_cast<std::streamsize>(binary.size()));
  file.close();
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

// gemm first, then the kernels that run before and after it.
std::vector<std::string> kernels_by_interest(const KernelVariant& variant) {
  std::vector<std::string> kernels = kernels_of(variant);
  std::stable_partition(kernels.begin(), kernels.end(),
                        [](const std::string& name) { return name == "gemm"; });
  return kernels;
}

// PoCL compiles a kernel three times: by itself, and inside two loops over the work-items of a
// group. It calls the one named "_workgroup".
bool is_unused_copy(const std::string& function, const MachineCode& object) {
  const std::string name = "_pocl_kernel_" + object.kernel;
  return function == name || function == name + "_workgroup_fast";
}

// Of several copies of a kernel, the one that is called.
void disassemble(const MachineCode& object, std::ostream& out) {
  const ProgramOutput output =
      program_output({"objdump", "--disassemble", "--no-show-raw-insn", "/dev/stdin"},
                     {reinterpret_cast<const char*>(object.bytes.data()), object.bytes.size()});
  if (output.start_error != 0)
    throw Error(std::string("the kernel is machine code, and objdump, which reads it, cannot be "
                            "started (") +
                std::strerror(output.start_error) +
                "): install binutils, or write the binary to a file with --output FILE");
  if (!output.succeeded)
    throw Error(
        "objdump cannot read the kernel's machine code: write the binary to a file with "
        "--output FILE");
  std::istringstream lines(output.text);
  bool skips = true;  // the heading, which names a file
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.find(" <");
    if (line.starts_with("Disassembly of section")) skips = false;
    if (line.ends_with(">:") && name != std::string::npos)
      skips = is_unused_copy(line.substr(name + 2, line.size() - name - 4), object);
    if (!skips) out << line << '\n';
  }
}

}  // namespace

void print_assembly(GpuSide& gpu, const ChosenKernel& kernel, const std::string& path,
                    std::ostream& out) {
  const std::vector<unsigned char> binary = binary_of(gpu, kernel.variant);
  if (!path.empty()) {
    write_binary(path, binary);
    out << path << ": " << binary.size() << " bytes, " << contents(binary) << '\n';
    return;
  }
  if (const auto text = as_text(binary)) {
    out << *text << (text->ends_with('\n') ? "" : "\n");
    return;
  }
  const auto objects = machine_code(binary);
  std::vector<const MachineCode*> shown;
  for (const std::string& name : kernels_by_interest(kernel.variant))
    if (const MachineCode* object = code_of_kernel(objects, name)) shown.push_back(object);
  for (const MachineCode& object : objects)
    if (object.kernel.empty()) shown.push_back(&object);
  if (shown.empty()) {
    throw Error("the binary of " + gpu.info().name +
                " is in its driver's own format, neither text nor this processor's machine code: "
                "write it to a file with --output FILE for the driver's tools");
  }
  out << "# " << name_of(kernel.variant) << ": " << kernel.origin << ": "
      << describe(kernel.variant.params) << "\n# Compiled with: " << kernel_options(kernel.variant)
      << '\n';
  for (const MachineCode* object : shown) {
    out << "\n# " << (object->path.empty() ? "an object without a name" : object->path) << ", "
        << object->bytes.size() << " bytes\n";
    disassemble(*object, out);
  }
}

}  // namespace duoblas::cli
