# Writes the kernel files into a C++ source, so that the library needs no file beside it.
# cmake -DOUTPUT=file.cpp -DFILES=a.cl;b.clh -P EmbedKernels.cmake
include("${CMAKE_CURRENT_LIST_DIR}/RawString.cmake")
set(code "// Generated from kernels/ by cmake/EmbedKernels.cmake.\n#include \"gpu/kernels/embedded_kernels.hpp\"\n\nnamespace duoblas {\n\n")
set(names "")
string(APPEND code "std::string_view embedded_kernel(std::string_view file) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  raw_string(text "${file}")
  string(APPEND names "\"${name}\", ")
  string(APPEND code "  if (file == \"${name}\")\n    return ${text};\n")
endforeach()
string(APPEND code "  return {};\n}\n\nstd::span<const std::string_view> embedded_kernels() {\n"
  "  static constexpr std::string_view names[] = {${names}};\n  return names;\n}\n\n}  // namespace duoblas\n")
file(WRITE "${OUTPUT}" "${code}")
