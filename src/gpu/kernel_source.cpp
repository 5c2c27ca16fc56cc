#include "gpu/kernel_source.hpp"

#include <fstream>
#include <sstream>

#include <duoblas/error.hpp>

#include "gpu/embedded_kernels.hpp"

namespace duoblas {
namespace {

bool is_panel(const KernelVariant& variant) {
  return variant.params.family == KernelFamily::panel;
}

std::string kernel_file(const char* name, const std::string& kernel_dir) {
  if (kernel_dir.empty()) return std::string(embedded_kernel(name));
  const std::string path = kernel_dir + "/" + name;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw DeviceError("kernel file " + path +
                      " cannot be read; it is looked for there because DUOBLAS_KERNEL_DIR is set");
  return text.str();
}

// As in kernels/types.clh.
int number(Op op) {
  switch (op) {
    case Op::none: return 0;
    case Op::transpose: return 1;
    case Op::conj_transpose: return 2;
  }
  return 0;
}

}  // namespace

// A panel kernel reads single elements of op(A) along k and vectors along the columns of op(B).
// Transposed operands have these far apart in memory: packing them first is faster at all sizes.
bool packs_a(const KernelVariant& variant) {
  return variant.params.pack_a || (is_panel(variant) && variant.op_a != Op::none);
}

bool packs_b(const KernelVariant& variant) {
  return variant.params.pack_b || (is_panel(variant) && variant.op_b != Op::none);
}

std::string kernel_source(const KernelParams& params, const std::string& kernel_dir) {
  const bool panel = params.family == KernelFamily::panel;
  const std::string types = kernel_file("types.clh", kernel_dir);
  return types + kernel_file(panel ? "panel.cl" : "tiled.cl", kernel_dir);
}

std::string kernel_options(const KernelVariant& variant) {
  std::ostringstream options;
  options << "-cl-std=CL1.2";
  for (const KernelField& field : kernel_fields())
    if (!field.macro.empty()) options << " -D" << field.macro << '=' << field.get(variant.params);
  const int parts = is_complex(variant.precision) ? 2 : 1;
  options << " -DPART=" << (is_double(variant.precision) ? "double" : "float")
          << " -DPARTS=" << parts << " -DLANES=" << variant.params.vector_width * parts
          << " -DOP_A=" << number(variant.op_a) << " -DOP_B=" << number(variant.op_b)
          << " -DPACKS_A=" << packs_a(variant) << " -DPACKS_B=" << packs_b(variant);
  return options.str();
}

}  // namespace duoblas
