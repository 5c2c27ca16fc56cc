#include "kernel_space/kernel_params.hpp"

#include <algorithm>
#include <sstream>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {
namespace {

std::string legal_values(const KernelField& field) {
  std::ostringstream text;
  for (const int value : field.values) text << (value == field.values.front() ? "" : ", ") << value;
  return text.str();
}

}  // namespace

// A panel kernel reads single elements of op(A) along k and vectors along the columns of op(B).
// Transposed operands have these far apart in memory: packing them first is faster at all sizes.
bool packs_a(const KernelParams& params, Op op_a) {
  return params.pack_a || (params.family == KernelFamily::panel && op_a != Op::none);
}

bool packs_b(const KernelParams& params, Op op_b) {
  return params.pack_b || (params.family == KernelFamily::panel && op_b != Op::none);
}

KernelParams canonical(KernelParams params) {
  const KernelParams defaults;
  if (params.family == KernelFamily::panel) {
    for (const auto member :
         {&KernelParams::local_a, &KernelParams::local_b, &KernelParams::image_a,
          &KernelParams::image_b, &KernelParams::shuffle, &KernelParams::async_copy,
          &KernelParams::fragments})
      params.*member = defaults.*member;
    for (const auto member :
         {&KernelParams::group_rows, &KernelParams::group_cols, &KernelParams::group_depth,
          &KernelParams::prefetch, &KernelParams::raster, &KernelParams::resident_groups})
      params.*member = defaults.*member;
    params.assignment = defaults.assignment;
    params.lane_order = defaults.lane_order;
    params.madd_order = defaults.madd_order;
    params.matrix = defaults.matrix;
  } else {
    for (const auto member :
         {&KernelParams::block_m, &KernelParams::block_n, &KernelParams::block_k})
      params.*member = defaults.*member;
    if (!params.local_a && !params.local_b) {
      params.prefetch = defaults.prefetch;
      params.async_copy = defaults.async_copy;
    }
    if (params.matrix != MatrixUnit::none) {
      params.assignment = defaults.assignment;
      params.lane_order = defaults.lane_order;
      params.multiply_add = defaults.multiply_add;
      params.vector_width = 2;
    }
  }
  return params;
}

namespace {

void describe_panel(const KernelParams& p, std::ostream& text) {
  text << ' ' << p.block_m << 'x' << p.block_n << 'x' << p.block_k;
  if (p.k_unroll != 1) text << " u" << p.k_unroll;
}

void describe_tiled(const KernelParams& p, std::ostream& text) {
  text << " wg" << p.group_rows << 'x' << p.group_cols;
  if (p.group_depth != 1) text << 'x' << p.group_depth;
  text << " k" << p.k_unroll;
  if (p.matrix == MatrixUnit::fp64) text << " fp64-matrix";
  if (p.matrix == MatrixUnit::fp64_deep) text << " fp64-matrix8";
  if (p.matrix == MatrixUnit::tf32x3) text << " tf32x3";
  if (p.local_a) text << " localA";
  if (p.local_b) text << " localB";
  if (p.image_a) text << " imageA";
  if (p.image_b) text << " imageB";
  if (p.shuffle) text << " shuffle";
  if (p.local_a || p.local_b) text << (p.async_copy ? " async" : " pre") << p.prefetch;
  if (p.fragments) text << " frag";
  if (p.matrix == MatrixUnit::none)
    text << " as" << static_cast<int>(p.assignment) << static_cast<int>(p.lane_order);
  if (p.madd_order != MaddOrder::plain) text << " order" << static_cast<int>(p.madd_order);
  if (p.raster != 1) text << " raster" << p.raster;
  if (p.resident_groups != 0) text << " fit" << p.resident_groups;
}

}  // namespace

std::string describe(const KernelParams& p) {
  std::ostringstream text;
  const bool panel = p.family == KernelFamily::panel;
  text << (panel ? "panel " : "tiled ") << p.tile_rows << 'x' << p.tile_cols << " v"
       << p.vector_width;
  panel ? describe_panel(p, text) : describe_tiled(p, text);
  if (p.pack_a) text << " packA";
  if (p.pack_b) text << " packB";
  if (p.loop_order != 0) text << " alongM";
  if (p.k_split != 1) text << " split" << p.k_split;
  if (p.inline_sizes) text << " inline";
  if (p.multiply_add == MultiplyAdd::plain) text << " plain";
  if (p.multiply_add == MultiplyAdd::mad) text << " mad";
  return text.str();
}

std::map<std::string, int> to_fields(const KernelParams& params) {
  std::map<std::string, int> fields;
  for (const KernelField& field : kernel_fields())
    fields.emplace(std::string(field.name), field.get(params));
  return fields;
}

KernelParams from_fields(const std::map<std::string, int>& fields) {
  KernelParams params;
  for (const KernelField& field : kernel_fields()) {
    const auto found = fields.find(std::string(field.name));
    if (found == fields.end())
      throw SettingError("kernel field \"" + std::string(field.name) + "\" is missing");
    if (!field.is_legal(found->second))
      throw SettingError("kernel field \"" + std::string(field.name) + "\" is " +
                         std::to_string(found->second) + "; legal are " + legal_values(field));
    field.set(params, found->second);
  }
  for (const auto& [name, value] : fields) {
    if (std::ranges::none_of(kernel_fields(), [&](const KernelField& f) { return f.name == name; }))
      throw SettingError("kernel field \"" + name + "\" is unknown");
  }
  return params;
}

}  // namespace duoblas
