#include "cpu/core_type.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace duoblas {
namespace {

// Not std::tolower(), which goes by the program's locale: in Turkish I has another small letter.
char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal(std::string_view x, std::string_view y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](char p, char q) { return lower_case(p) == lower_case(q); });
}

bool one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view known) { return equal(name, known); });
}

// Kernels of at most 128-bit vectors, or of 256 bits without FMA.
bool before_avx2(const std::string& name) {
  return one_of(
      name,
      {"Katmai", "Coppermine", "Northwood",  "Prescott",    "Banias",  "Atom",         "Core2",
       "Penryn", "Dunnington", "Nehalem",    "Athlon",      "Opteron", "Opteron_SSE3", "Barcelona",
       "Bobcat", "Bulldozer",  "Piledriver", "Steamroller", "Nano",    "Sandybridge",  "Generic"});
}

}  // namespace

VectorExtensions vector_extensions() {
  VectorExtensions has;
#if defined(__x86_64__) || defined(__i386__)
  // These ask the operating system too: a processor whose wide registers are not saved has none.
  __builtin_cpu_init();
  has.avx2_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  has.avx512_bf16 = __builtin_cpu_supports("avx512bf16");
  has.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
  has.arm = arm_features();
  return has;
}

bool same_core_type(const std::string& x, const std::string& y) {
  return equal(x, y);
}

std::string better_core_type(const std::string& core_name, const VectorExtensions& has) {
  // One AMD EPYC core (Zen 4), OpenBLAS 0.3.21: the 512-bit types are within a few percent of
  // Zen and Haswell; on Zen 5 and Intel servers, whose units are 512 bits wide, Haswell is half.
  if (has.avx512 && (before_avx2(core_name) || one_of(core_name, {"Haswell", "Zen", "Excavator"})))
    return "SkylakeX";
  if (has.avx2_fma && before_avx2(core_name)) return "Haswell";
  return "";
}

std::vector<std::string> candidate_core_types(const VectorExtensions& has) {
  std::vector<std::string> types;
  if (has.avx512) types.push_back("SkylakeX");
  if (has.avx512 && has.avx512_bf16) types.push_back("Cooperlake");
  if (has.avx2_fma) types.insert(types.end(), {"Zen", "Haswell"});
  // Compiled for these instruction sets. Any Arm core that OpenBLAS does not know is ARMV8 to it,
  // such as the Cortex-A76 to 0.3.21, whose twin in servers it knows. None is chosen unmeasured.
  if (has.arm.v9) types.push_back("neoversen2");
  if (has.arm.sve && has.arm.v8_4) types.push_back("neoversev1");
  if (has.arm.v8_2) types.push_back("neoversen1");
  if (has.arm.neon) types.insert(types.end(), {"armv8", "cortexa57", "cortexa53"});
  return types;
}

}  // namespace duoblas
