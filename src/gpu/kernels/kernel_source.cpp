#include "gpu/kernels/kernel_source.hpp"

#include <fstream>
#include <initializer_list>
#include <sstream>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/embedded_kernels.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/classic_text.hpp"
#include "kernel_space/kernel_footprint.hpp"
#include "opencl/cache_file.hpp"
#include "os/process.hpp"

namespace duoblas {
namespace {

std::string kernel_file(const std::string& name, const std::string& kernel_dir) {
  if (kernel_dir.empty()) return std::string(embedded_kernel(name));
  const std::string path = kernel_dir + "/" + name;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw DeviceError("kernel file " + path +
                      " cannot be read; it is looked for there because DUOBLAS_KERNEL_DIR is set");
  return text.str();
}

std::vector<std::string> files_of_integers(const KernelParams& params) {
  std::vector<std::string> files = {"integers_numbers.clh", "integers_tile.clh",
                                    "integers_measure.cl"};
  if (params.wide) {
    files.insert(files.end(), {"nvidia_wide.clh", "integers_wide.clh"});
  } else {
    const bool matrix = params.matrix == MatrixUnit::integers_matrix;
    if (params.async_copy || matrix || params.matrix == MatrixUnit::integers_dp4a)
      files.emplace_back("nvidia.clh");
    if (matrix)
      files.emplace_back("integers_matrix.clh");
    else
      files.insert(files.end(), {"integers_four.clh", "integers_dot.clh"});
    files.emplace_back("integers_slices.clh");
  }
  files.insert(files.end(), {"integers_multiply.cl", "integers_certify.cl", "integers_residues.cl",
                             "integers_rebuild.cl", "integers_round.cl"});
  return files;
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

std::string sources_of_kernels(const std::string& kernel_dir) {
  if (!kernel_dir.empty()) return "of " + std::to_string(process_id());  // nobody else's
  std::string all;
  for (const std::string_view name : embedded_kernels()) all += embedded_kernel(name);
  return cl::cache_file_name(all);
}

bool packs_a(const KernelVariant& variant) {
  return packs_a(variant.params, variant.op_a);
}

bool packs_b(const KernelVariant& variant) {
  return packs_b(variant.params, variant.op_b);
}

bool packing_marks(const KernelVariant& variant) {
  return variant.guard == Guard::if_suited && variant.params.matrix == MatrixUnit::tf32x3 &&
         packs_a(variant) && packs_b(variant);
}

bool needs_guard(const KernelParams& params) {
  return params.matrix == MatrixUnit::tf32x3 && !(params.pack_a && params.pack_b);
}

KernelVariant normalised(KernelVariant variant) {
  variant.params = canonical(variant.params);
  // One program for all: how the operands lie are arguments.
  if (is_by_integers(variant.params)) return {variant.params, variant.precision};
  if (!is_complex(variant.precision)) {
    for (Op* op : {&variant.op_a, &variant.op_b}) {
      if (*op == Op::conj_transpose) *op = Op::transpose;
    }
  }
  if (variant.params.family == KernelFamily::panel || (packs_a(variant) && packs_b(variant)))
    variant.rows = Rows::whole;
  // In place, pixels are whole where rows are.
  if (variant.rows != Rows::whole) {
    variant.params.image_a &= packs_a(variant);
    variant.params.image_b &= packs_b(variant);
  }
  const bool batched = variant.batching != Batching::none;
  if (!variant.params.inline_sizes) variant.m = variant.n = variant.k = 0;
  variant.params.inline_sizes = variant.n > 0 && variant.k > 0 && (variant.m > 0 || !batched);
  if (!batched) variant.m = 0;
  return variant;
}

std::vector<std::string> file_names(const KernelParams& params) {
  if (is_by_integers(params)) return files_of_integers(params);
  std::vector<std::string> files = {"types.clh"};
  const auto add = [&](std::initializer_list<const char*> more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  if (params.matrix == MatrixUnit::tf32x3) add({"suited.clh"});
  if (params.family == KernelFamily::panel) {
    add({"panel_load.clh", "panel_multiply.clh", "panel_store.clh", "panel_pack.clh", "panel.cl"});
  } else if (params.wide) {
    add({"nvidia_wide.clh", "tiled_geometry.clh", "tiled_order.clh", "wide_multiply.clh",
         "tiled_store.clh", "wide.cl", "tiled_as_real.clh", "wide_pack.cl"});
  } else {
    const bool matrix = params.matrix != MatrixUnit::none;
    add({"tiled_geometry.clh"});
    if (params.async_copy || params.shuffle || matrix) add({"nvidia.clh"});
    add({"tiled_order.clh", "tiled_image.clh", "tiled_operand.clh", "tiled_local.clh",
         "tiled_vectors.clh"});
    // Vectors of A, and then of B.
    if (width_along_m(params) != params.vector_width) add({"tiled_vectors.clh"});
    add({matrix ? "tiled_matrix.clh" : "tiled_multiply.clh"});
    if (matrix) add({"tiled_windows.clh"});
    if (params.matrix == MatrixUnit::fp64 || params.matrix == MatrixUnit::fp64_deep)
      add({"tiled_between.clh"});
    add({"tiled_store.clh"});
    if (matrix) add({"tiled_lines.clh"});
    add({"tiled_split.clh", "tiled_teams.clh", "tiled.cl", "tiled_as_real.clh", "tiled_pack.cl"});
  }
  if (params.split_last) add({"tiled_reduce.cl"});
  if (params.k_split > 1) add({"reduce.cl"});
  return files;
}

std::vector<KernelFile> kernel_files(const KernelParams& params, const std::string& kernel_dir) {
  std::vector<KernelFile> result;
  for (const std::string& file : file_names(params))
    result.push_back({file, kernel_file(file, kernel_dir)});
  return result;
}

std::string kernel_source(const KernelParams& params, const std::string& kernel_dir) {
  return joined_source(file_names(params), kernel_dir);
}

std::string joined_source(const std::vector<std::string>& files, const std::string& kernel_dir) {
  std::string source;
  for (const std::string& file : files) source += kernel_file(file, kernel_dir);
  return source;
}

std::string probe_source(const std::string& kernel_dir) {
  return kernel_file("nvidia.clh", kernel_dir) + kernel_file("nvidia_probe.cl", kernel_dir);
}

std::string wide_probe_source(const std::string& kernel_dir) {
  return kernel_file("nvidia_wide.clh", kernel_dir) +
         kernel_file("nvidia_wide_probe.cl", kernel_dir);
}

std::string peak_source(const std::string& kernel_dir, MatrixUnit unit) {
  std::vector<std::string> files;
  const bool is_plain =
      unit == MatrixUnit::none || unit == MatrixUnit::integers || unit == MatrixUnit::integers_dot;
  if (!is_plain) files.emplace_back("nvidia.clh");
  if (unit >= MatrixUnit::integers && unit != MatrixUnit::integers_matrix)
    files.emplace_back("integers_four.clh");
  files.emplace_back("peak.cl");
  return joined_source(files, kernel_dir);
}

std::string kernel_options(const KernelVariant& variant, KernelTable table) {
  ClassicText options;
  // Dot products are OpenCL C 3.0's.
  options << (variant.params.matrix == MatrixUnit::integers_dot ? "-cl-std=CL3.0"
                                                                : "-cl-std=CL1.2");
  for (const KernelField& field : table)
    if (!field.macro.empty()) options << " -D" << field.macro << '=' << field.get(variant.params);
  const int parts = is_complex(loop_precision(variant.params, variant.precision)) ? 2 : 1;
  const int vector = variant.params.vector_width * parts;
  options << " -DPART=" << (is_double(variant.precision) ? "double" : "float")
          << " -DPARTS=" << parts << " -DLANES=" << vector << " -DOP_A=" << number(variant.op_a)
          << " -DOP_B=" << number(variant.op_b) << " -DPACKS_A=" << packs_a(variant)
          << " -DPACKS_B=" << packs_b(variant) << " -DGUARD=" << static_cast<int>(variant.guard);
  if (variant.params.family == KernelFamily::tiled) {
    const bool matrix = variant.params.matrix != MatrixUnit::none;
    options << " -DLANES_A=" << width_along_m(variant.params) * parts
            << " -DALIGNED=" << static_cast<int>(variant.rows)
            << " -DRUN_LANES=" << (matrix ? 2 : vector)
            << " -DQUAD_LANES=" << (is_double(variant.precision) ? 2 : 4);
  }
  if (const int share = register_share(variant.params); share > 0)
    options << " -cl-nv-maxrregcount=" << share;
  if (const int level = variant.params.compiler_level; level > 0)
    options << " -cl-nv-opt-level=" << level;
  if (variant.params.inline_sizes)
    options << " -DSIZE_N=" << variant.n << " -DSIZE_K=" << variant.k;
  if (variant.batching != Batching::none) {
    options << " -DBATCHED=" << static_cast<int>(variant.batching);
    if (variant.params.inline_sizes) options << " -DSIZE_M=" << variant.m;
  }
  return options.str();
}

}  // namespace duoblas
