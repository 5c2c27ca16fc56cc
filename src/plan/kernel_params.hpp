// One kernel of the generator: every choice that shapes its code or its launch, as plain numbers.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace duoblas {

/// Which kernel file. `panel` is for OpenCL CPU devices: one work-item per work-group, wide
/// vectors. `tiled` is for GPUs: work-group tiles staged in local memory.
enum class KernelFamily { panel, tiled };

/// How a product is added: fma(a, b, c), or a * b + c for the compiler to contract. Never mad():
/// compilers for CPUs do not fuse it.
enum class MultiplyAdd { fma, plain };

/// A point of the kernel space. kernels/README.md is the contract of the code behind it; the
/// meaning of each field is in kernel_fields().
struct KernelParams {
  KernelFamily family = KernelFamily::panel;
  int tile_rows = 6;
  int tile_cols = 16;
  int vector_width = 4;
  int group_rows = 1;
  int group_cols = 1;
  int k_unroll = 1;
  int block_m = 192;
  int block_n = 256;
  int block_k = 384;
  bool pack_a = false;
  bool pack_b = false;
  bool local_a = false;
  bool local_b = false;
  MultiplyAdd multiply_add = MultiplyAdd::fma;

  friend bool operator==(const KernelParams&, const KernelParams&) = default;
};

/// One row of the field table.
struct KernelField {
  using Member = std::variant<int KernelParams::*, bool KernelParams::*,
                              KernelFamily KernelParams::*, MultiplyAdd KernelParams::*>;

  std::string_view name;   ///< in JSON and in output
  std::string_view macro;  ///< the -D flag's name; empty: the launch's business alone
  Member member;
  std::span<const int> values;  ///< the legal values, ascending
  std::string_view meaning;

  int get(const KernelParams& params) const;
  void set(KernelParams& params, int value) const;
  bool is_legal(int value) const;
};

/// The table that drives -D flags, JSON, the search space and the documentation.
std::span<const KernelField> kernel_fields();

/// The same kernel with the fields that its family does not use at their defaults, so that equal
/// kernels compare equal.
KernelParams canonical(KernelParams params);

/// One short line for tables, e.g. "panel 6x64 v16 192x256x384 packB".
std::string describe(const KernelParams& params);

/// Field names and values, for JSON.
std::map<std::string, int> to_fields(const KernelParams& params);
/// \throws SettingError naming the field that is unknown, missing or has an illegal value.
KernelParams from_fields(const std::map<std::string, int>& fields);

}  // namespace duoblas
