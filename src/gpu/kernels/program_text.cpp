#include "gpu/kernels/program_text.hpp"

#include <utility>

#include <duoblas/error.hpp>

#include "gpu/kernels/launch.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "problem/op_letter.hpp"

namespace duoblas {
namespace {

// "sgemm nt, tiled 8x8 ...".
std::string name_of(const KernelVariant& variant) {
  std::string name = {letter(variant.precision), 'g', 'e', 'm', 'm', ' ', letter(variant.op_a),
                      letter(variant.op_b)};
  name += ", " + describe(variant.params);
  if (variant.guard != Guard::none) name += ", guarded";
  if (variant.rows == Rows::anyhow) name += ", any rows";
  if (variant.rows == Rows::aligned) name += ", aligned rows";
  if (variant.n > 0)
    name += ", n = " + std::to_string(variant.n) + ", k = " + std::to_string(variant.k);
  if (variant.m > 0) name += ", m = " + std::to_string(variant.m);
  if (variant.batching == Batching::strided) name += ", batched";
  if (variant.batching == Batching::table) name += ", batched by places";
  return name;
}

// A kernel that breaks a rule may read where no operand is. On a GPU such a read ends the context,
// and with it all that the process has there.
void check_rules(const KernelParams& kernel) {
  const KernelRule* const broken = violated_static_rule(kernel);
  if (broken != nullptr)
    throw DeviceError("the kernel " + describe(kernel) + " breaks the rule " +
                      std::string(broken->name) + ": " + std::string(broken->reason));
}

}  // namespace

ProgramOptions::ProgramOptions(Precision precision, int vector_width) {
  const int parts = is_complex(precision) ? 2 : 1;
  define("PART", is_double(precision) ? "double" : "float").define("PARTS", parts);
  define("LANES", vector_width * parts).define("MULTIPLY_ADD", 1);
}

ProgramOptions& ProgramOptions::define(std::string_view name, std::string_view value) {
  text_.append(" -D").append(name).append("=").append(value);
  return *this;
}

cl::Kernel& BuiltProgram::kernel(std::string_view name) {
  const auto found = kernels.find(name);
  if (found == kernels.end())
    throw DeviceError("a program was built without its kernel " + std::string(name));
  return found->second;
}

ProgramText text_of(const KernelVariant& variant) {
  check_rules(variant.params);
  ProgramText text;
  text.name = name_of(variant);
  text.files = file_names(variant.params);
  text.options = kernel_options(variant);
  const GroupSizes groups = group_sizes(variant.params);
  const auto want = [&](const char* kernel, std::size_t items) {
    text.kernels.emplace_back(kernel);
    text.group_items.push_back(items);
  };
  if (is_by_integers(variant.params)) {
    text.params = variant.params;
    for (const char* phase : {"bound", "multiply"}) want(phase, groups.product);
    want("measure", integer_measuring_items);
    for (const char* phase : {"certify", "residues", "residues_anew", "store", "store_complex"})
      want(phase, integer_element_items);
    return text;
  }
  want("gemm", groups.product);
  if (packs_a(variant)) want("pack_a", groups.packing);
  if (packs_b(variant)) want("pack_b", groups.packing);
  if (variant.params.k_split > 1 || variant.params.split_last) want("reduce", groups.reduction);
  return text;
}

ProgramText guard_text() {
  return {"guard", {"suited.clh", "guard.cl"}, "-cl-std=CL1.2", {"guard"}};
}

KernelIdentity identity_of(const ProgramText& program, const std::string& kernel_dir) {
  return {program.name, program.options, joined_source(program.files, kernel_dir)};
}

}  // namespace duoblas
