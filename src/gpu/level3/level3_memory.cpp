#include "gpu/level3/level3_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>

#include "gpu/level3/leaf_inverses.hpp"
#include "gpu/level3/lines_apart.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/host_rect.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

StoredShape device_shape(const Level3Problem& p, Level3Matrix matrix, const BlockSizes& sizes,
                         MatricesInPlace in_place) {
  const bool is_apart = goes_by_columns(p, in_place);  // in the host's memory
  switch (matrix) {
    case Level3Matrix::a: return in_place.a ? StoredShape{} : stored_a(p);
    case Level3Matrix::b:
      if (is_apart) return {};
      if (has_b(p.routine)) return in_place.b ? StoredShape{} : stored_b(p);
      return is_in_place(p.routine) && !in_place.c ? stored_c(p) : StoredShape{};
    case Level3Matrix::c: return in_place.c || is_apart ? StoredShape{} : stored_c(p);
    case Level3Matrix::inverses:
      if (p.routine != Routine::trsm || in_place.a) return {};
      return {sizes.inverts_leaves ? leaf_rows(p, sizes).all : order(p), sizes.leaf};
    case Level3Matrix::diagonals: break;  // each has memory of its own, which is the host's
  }
  return {};
}

LeafRows leaf_rows(const Level3Problem& p, const BlockSizes& sizes) {
  const std::int64_t rows = round_up(order(p), sizes.leaf);
  const std::size_t sums = leaf_sums_bytes(rows / sizes.leaf, sizes.leaf);
  const std::size_t pitch = pitch_of(p, {rows, sizes.leaf});
  return {rows, 2 * rows, 2 * rows + static_cast<std::int64_t>((sums + pitch - 1) / pitch)};
}

std::size_t pitch_of(const Level3Problem& p, StoredShape shape) {
  return device_pitch(static_cast<std::size_t>(shape.cols) * element_size(p.precision));
}

std::size_t bytes_on_device(const Level3Problem& p, Level3Matrix matrix, const BlockSizes& sizes,
                            MatricesInPlace in_place) {
  const StoredShape shape = device_shape(p, matrix, sizes, in_place);
  return static_cast<std::size_t>(shape.rows) * pitch_of(p, shape);
}

std::optional<DeviceBytes> device_bytes(const Level3Problem& p, const KernelParams& kernel,
                                        const BlockSizes& sizes, const DeviceLimits& limits,
                                        MatricesInPlace in_place) {
  constexpr std::int64_t most_extent = std::int64_t{1} << 30;
  if (std::max(order(p), free_extent(p)) > most_extent) return {};
  for (const Level3Matrix matrix : {Level3Matrix::a, Level3Matrix::b, Level3Matrix::c})
    if (pitch_of(p, device_shape(p, matrix, sizes, in_place)) > most_result_row_bytes) return {};
  const auto bytes_of = [&](Level3Matrix matrix) {
    return bytes_on_device(p, matrix, sizes, in_place);
  };
  DeviceBytes bytes;
  bytes.a = bytes_of(Level3Matrix::a) + bytes_of(Level3Matrix::inverses);
  bytes.b = bytes_of(Level3Matrix::b);
  bytes.c = bytes_of(Level3Matrix::c);
  for (const DeviceStep& step : device_program(p, sizes, in_place)) {
    const auto* multiply = std::get_if<MultiplyStep>(&step);
    if (multiply == nullptr) continue;
    const DeviceBytes taken = bytes_at_once(multiply->product, kernel, {false, false, false});
    bytes.packed_a = std::max(bytes.packed_a, taken.packed_a);
    bytes.packed_b = std::max(bytes.packed_b, taken.packed_b);
    bytes.partial = std::max(bytes.partial, taken.partial);
  }
  if (const auto packed = packed_once(p, kernel, sizes, in_place)) {
    bytes.packed_b = bytes_at_once(*packed, kernel, {false, false, false}).packed_b;
    if (is_rank_2k(p.routine)) bytes.b = bytes.packed_b;
  }
  if (!fits(bytes, kernel, limits)) return {};
  return bytes;
}

// Blocks of lines must be whole tiles, and no image is a part of another's buffer.
std::optional<GemmProblem> packed_once(const Level3Problem& p, const KernelParams& kernel,
                                       const BlockSizes& sizes, MatricesInPlace in_place) {
  const bool is_in_place = in_place.a && (in_place.b || !is_rank_2k(p.routine));
  if (!updates_triangle(p.routine) || !is_in_place || kernel.image_b ||
      sizes.block % col_tile(kernel) != 0 || sizes.step % col_tile(kernel) != 0 ||
      order(p) <= sizes.block)
    return {};
  for (const DeviceStep& step : device_program(p, sizes, in_place))
    if (const auto* multiply = std::get_if<MultiplyStep>(&step)) {
      GemmProblem product = multiply->product;
      product.n = order(p);
      if (packs_ahead(product, kernel).b) return product;
      return {};
    }
  return {};
}

std::size_t bytes_apart(const std::vector<DeviceStep>& program, Precision precision) {
  std::size_t bytes = 0;
  const auto add = [&](const DeviceRect& rect) {
    const std::size_t row_bytes = static_cast<std::size_t>(rect.columns) * element_size(precision);
    bytes += in_whole_pages(static_cast<std::size_t>(rect.rows) * pitch_apart(row_bytes));
  };
  for (const DeviceStep& step : program)
    if (const auto* sent = std::get_if<SendRect>(&step))
      add(sent->rect);
    else if (const auto* results = std::get_if<OverwriteRect>(&step))
      add(results->rect);
  return bytes;
}

Level3Operands bind_in_place(OpenedDevice& device, const Level3Problem& p, MatricesInPlace wanted,
                             const HostRect& of_host) {
  Level3Operands bound;
  HostRect a = wanted.a ? rect_of_a(p) : HostRect{};
  const HostRect b = wanted.b ? rect_of_b(p) : HostRect{};
  const HostRect c = rect_of_c(p);
  OperandMemory& memory = device.memory;
  // A triangle has gaps, whatever its ld.
  const bool c_is_exact = memory.facts().coherent || !updates_triangle(p.routine);
  if (wanted.c && c_is_exact)
    bound.result = memory.result_in_place(c, std::array{a, b, a}, std::array{of_host});
  if (bound.result) {
    bound.inputs = memory.inputs_in_place(a, b, &*bound.result, std::array{of_host});
    return bound;
  }
  // Lines apart have to be mapped where device and host are not coherent, and rusticl of Mesa 22.3
  // refuses to unmap them. So there A is copied, and steps go by block rows.
  if (!memory.facts().coherent && goes_by_columns(p, {wanted.a, wanted.b, false})) a = {};
  bound.inputs = memory.inputs_in_place(a, b, nullptr, std::array{of_host, c});
  return bound;
}

void hold_pages(PageLocks& locks, const Level3Problem& p, Level3Operands& operands) {
  const auto hold = [&](const HostRect& rect) { return locks.hold(rect.data, rect.span()); };
  const MatricesInPlace in_place = operands.in_place();
  if (!in_place.a) operands.locked_a = hold(rect_of_a(p));
  if (has_b(p.routine) && !in_place.b) operands.locked_b = hold(rect_of_b(p));
  if (!in_place.c) operands.locked_c = hold(rect_of_c(p));
}

}  // namespace duoblas
