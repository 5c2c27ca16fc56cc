#include "plan/kernel_params.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

constexpr std::array kSwitch = {0, 1};
constexpr std::array kTile = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
constexpr std::array kTileCols = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96};
constexpr std::array kVector = {1, 2, 4, 8, 16};
constexpr std::array kGroup = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array kUnroll = {1, 2, 4, 8, 16, 32};
constexpr std::array kBlock = {24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};

using P = KernelParams;

constexpr std::array<KernelField, 15> kFields = {{
    {"family", "FAMILY", &P::family, kSwitch, "0 panel (CPU devices), 1 tiled (GPUs)"},
    {"tile_rows", "TILE_ROWS", &P::tile_rows, kTile, "rows of C that a work-item accumulates"},
    {"tile_cols", "TILE_COLS", &P::tile_cols, kTileCols,
     "columns of C that a work-item accumulates"},
    {"vector_width", "VECTOR_WIDTH", &P::vector_width, kVector,
     "elements of a vector load and of a vector accumulator"},
    {"group_rows", "GROUP_ROWS", &P::group_rows, kGroup, "tiled: work-items of a group along m"},
    {"group_cols", "GROUP_COLS", &P::group_cols, kGroup, "tiled: work-items of a group along n"},
    {"k_unroll", "K_UNROLL", &P::k_unroll, kUnroll,
     "tiled: depth of a local slice; panel: steps of k per turn of the loop"},
    {"block_m", "", &P::block_m, kBlock, "panel: most rows of C per group"},
    {"block_n", "", &P::block_n, kBlock, "panel: most columns of C per group"},
    {"block_k", "BLOCK_K", &P::block_k, kBlock, "panel: depth between two visits of a C tile"},
    {"pack_a", "PACK_A", &P::pack_a, kSwitch, "1: A is copied into tile order first"},
    {"pack_b", "PACK_B", &P::pack_b, kSwitch, "1: B is copied into tile order first"},
    {"local_a", "LOCAL_A", &P::local_a, kSwitch, "tiled: 1: slices of A go through local memory"},
    {"local_b", "LOCAL_B", &P::local_b, kSwitch, "tiled: 1: slices of B go through local memory"},
    {"multiply_add", "MULTIPLY_ADD", &P::multiply_add, kSwitch, "0 fma(a, b, c), 1 a * b + c"},
}};

std::string legal_values(const KernelField& field) {
  std::ostringstream text;
  for (const int value : field.values) text << (value == field.values.front() ? "" : ", ") << value;
  return text.str();
}

}  // namespace

int KernelField::get(const KernelParams& params) const {
  return std::visit([&](auto m) { return static_cast<int>(params.*m); }, member);
}

void KernelField::set(KernelParams& params, int value) const {
  std::visit(
      [&](auto m) { params.*m = static_cast<std::remove_reference_t<decltype(params.*m)>>(value); },
      member);
}

bool KernelField::is_legal(int value) const {
  return std::ranges::binary_search(values, value);
}

std::span<const KernelField> kernel_fields() {
  return kFields;
}

KernelParams canonical(KernelParams params) {
  const KernelParams defaults;
  if (params.family == KernelFamily::panel) {
    params.group_rows = defaults.group_rows;
    params.group_cols = defaults.group_cols;
    params.local_a = defaults.local_a;
    params.local_b = defaults.local_b;
  } else {
    params.block_m = defaults.block_m;
    params.block_n = defaults.block_n;
    params.block_k = defaults.block_k;
  }
  return params;
}

std::string describe(const KernelParams& p) {
  std::ostringstream text;
  text << (p.family == KernelFamily::panel ? "panel " : "tiled ") << p.tile_rows << 'x'
       << p.tile_cols << " v" << p.vector_width;
  if (p.family == KernelFamily::panel) {
    text << ' ' << p.block_m << 'x' << p.block_n << 'x' << p.block_k;
    if (p.k_unroll != 1) text << " u" << p.k_unroll;
  } else {
    text << " wg" << p.group_rows << 'x' << p.group_cols << " k" << p.k_unroll;
    if (p.local_a) text << " localA";
    if (p.local_b) text << " localB";
  }
  if (p.pack_a) text << " packA";
  if (p.pack_b) text << " packB";
  if (p.multiply_add == MultiplyAdd::plain) text << " plain";
  return text.str();
}

std::map<std::string, int> to_fields(const KernelParams& params) {
  std::map<std::string, int> fields;
  for (const KernelField& field : kFields)
    fields.emplace(std::string(field.name), field.get(params));
  return fields;
}

KernelParams from_fields(const std::map<std::string, int>& fields) {
  KernelParams params;
  for (const KernelField& field : kFields) {
    const auto found = fields.find(std::string(field.name));
    if (found == fields.end())
      throw SettingError("kernel field \"" + std::string(field.name) + "\" is missing");
    if (!field.is_legal(found->second))
      throw SettingError("kernel field \"" + std::string(field.name) + "\" is " +
                         std::to_string(found->second) + "; legal are " + legal_values(field));
    field.set(params, found->second);
  }
  for (const auto& [name, value] : fields) {
    if (std::ranges::none_of(kFields, [&](const KernelField& f) { return f.name == name; }))
      throw SettingError("kernel field \"" + name + "\" is unknown");
  }
  return params;
}

}  // namespace duoblas
