#include "opencl/function_table.hpp"

#include <duoblas/error.hpp>

#include "os/dynamic_library.hpp"

namespace duoblas::cl {
namespace {

struct Loaded {
  FunctionTable table;
  bool usable = false;
  std::string problem;
};

Loaded load() {
  Loaded loaded;
  void* library = open_library("libOpenCL.so.1");
  if (library == nullptr) {
    loaded.problem = "there is no OpenCL library (" + why_no_library("libOpenCL.so.1 not found") +
                     "); install ocl-icd-libopencl1 and a driver such as pocl-opencl-icd";
    return loaded;
  }
  const char* missing = nullptr;
#define DUOBLAS_OPENCL_FIND(function)                                              \
  loaded.table.function =                                                          \
      reinterpret_cast<decltype(&::function)>(library_symbol(library, #function)); \
  if (loaded.table.function == nullptr && missing == nullptr) missing = #function;
  DUOBLAS_OPENCL_FUNCTIONS(DUOBLAS_OPENCL_FIND)
#undef DUOBLAS_OPENCL_FIND
  if (missing != nullptr) {
    loaded.problem = std::string("libOpenCL.so.1 has no ") + missing +
                     "; OpenCL 1.2 is needed: install ocl-icd-libopencl1";
    return loaded;
  }
  loaded.usable = true;
  return loaded;
}

// Never destroyed, and the library never closed: other static destructors may still release.
const Loaded& loaded() {
  static const Loaded* const once = new Loaded(load());
  return *once;
}

}  // namespace

const FunctionTable* find_functions(std::string* why_not) {
  const Loaded& found = loaded();
  if (found.usable) return &found.table;
  if (why_not != nullptr) *why_not = found.problem;
  return nullptr;
}

const FunctionTable& functions() {
  const Loaded& found = loaded();
  if (!found.usable) throw DeviceError(found.problem);
  return found.table;
}

}  // namespace duoblas::cl
