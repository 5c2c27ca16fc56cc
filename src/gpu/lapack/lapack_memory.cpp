#include "gpu/lapack/lapack_memory.hpp"

#include <algorithm>
#include <vector>

#include "gpu/device/computable.hpp"
#include "gpu/kernels/panel_ability.hpp"
#include "gpu/lapack/solve_on_device.hpp"
#include "problem/adjoint.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

std::size_t numbers_bytes(const LapackProblem& p, std::int64_t width) {
  if (p.routine != LapackRoutine::getrf) return 0;
  const std::int64_t panels = parts(std::min(p.m, p.n), width);
  return static_cast<std::size_t>(panels) * PanelNumbers(p.precision, width).bytes;
}

// V', and one row more: NVIDIA's driver (580) copies rows only if the buffer holds the last one as
// a whole, in rows that are counted from the buffer's start. Those of V' begin anywhere between.
std::size_t reflector_bytes(const LapackProblem& p, std::size_t pitch) {
  return p.reflectors > 0 ? static_cast<std::size_t>(p.reflectors + 1) * pitch : 0;
}

// What groups of panels tell each other where the device makes them (panels_on_device.hpp).
std::size_t boards_bytes(const LapackProblem& p, std::int64_t width) {
  constexpr std::int64_t least_rows_of_group = 64;
  if (is_complex(p.precision)) return 0;
  const std::int64_t rows = std::min(p.m, least_rows_of_group * most_panel_groups);
  const std::int64_t results = 2 * width * parts(p.n, width);
  return static_cast<std::size_t>(
             2 * round_up(PanelBoards(least_rows_of_group, rows, width).words, 64)) *
             element_size(p.precision) +
         static_cast<std::size_t>(results) * sizeof(std::int32_t);
}

// What is allocated for the call alone. getrf: what is above. potrf: the panel that it solves with.
// getrs and potrs: the inverses and blocks of both triangles, and the swaps. QR: each panel's T.
std::size_t bytes_of_call(const LapackProblem& p, std::int64_t width) {
  const std::size_t element = element_size(p.precision);
  const auto bytes_of = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements) * element;
  };
  if (p.routine == LapackRoutine::getrf) return boards_bytes(p, width);
  if (p.routine == LapackRoutine::potrf) return bytes_of(width * (PanelNumbers::leaf + width));
  if (p.routine == LapackRoutine::potrs) return bytes_of(4 * p.n * width);
  if (p.routine == LapackRoutine::getrs)
    return bytes_of(4 * p.n * width) +
           static_cast<std::size_t>(3 * round_up(p.n, width)) * sizeof(std::int32_t);
  if (!is_orthogonal(p.routine)) return 0;
  const std::int64_t count = p.routine == LapackRoutine::geqrf ? std::min(p.m, p.n) : p.reflectors;
  return bytes_of(round_up(count, width) * width);
}

// The largest update and the narrowest one, of each kind that the routine has.
std::vector<GemmProblem> updates(const LapackProblem& p, std::int64_t width) {
  GemmProblem largest = product_of(p.precision, p.n, rows_of_matrix(p), width, 1, 0);
  GemmProblem narrow = largest;
  narrow.n = width;
  if (solves(p.routine))
    for (GemmProblem* update : {&largest, &narrow}) {
      update->m = p.right_sides;
      update->op_b = p.op;
    }
  if (p.routine == LapackRoutine::potrs) {
    GemmProblem turned = largest, narrow_turned = narrow;
    turned.op_b = narrow_turned.op_b = adjoint(p.precision);
    return {largest, narrow, turned, narrow_turned};
  }
  if (!is_orthogonal(p.routine)) return {largest, narrow};
  GemmProblem inner = narrow;
  inner.op_b = adjoint(p.precision);
  inner.k = largest.n;
  return {largest, narrow, inner};
}

}  // namespace

std::size_t row_pitch(std::int64_t columns, Precision precision) {
  return device_pitch(static_cast<std::size_t>(columns) * element_size(precision));
}

// W and op(T) W lie beside one another.
std::int64_t scratch_columns(const LapackProblem& p, std::int64_t width) {
  return is_orthogonal(p.routine) ? 2 * width : width;
}
std::size_t scratch_bytes(const LapackProblem& p, std::int64_t width) {
  if (solves(p.routine)) return solve_bytes(p);
  return static_cast<std::size_t>(p.n) * row_pitch(scratch_columns(p, width), p.precision);
}

PanelNumbers::PanelNumbers(Precision precision, std::int64_t width)
    : inverses_from(static_cast<std::size_t>(
          round_up(3 * width * static_cast<std::int64_t>(sizeof(std::int32_t)), 256))),
      bytes(inverses_from +
            static_cast<std::size_t>(round_up(width, leaf) * round_up(width, leaf)) *
                element_size(precision)) {}

std::size_t panel_pitch(const LapackProblem& p, std::int64_t width) {
  return row_pitch(p.uplo == Uplo::lower ? p.n : width, p.precision);
}

std::size_t panel_bytes(const LapackProblem& p, std::int64_t width) {
  return static_cast<std::size_t>(p.uplo == Uplo::lower ? width : p.n) * panel_pitch(p, width);
}

std::optional<DeviceBytes> device_bytes(const LapackProblem& p, const KernelParams& kernel,
                                        std::int64_t width, const DeviceLimits& limits) {
  if (std::max({p.n, rows_of_matrix(p), p.right_sides}) > most_routine_extent) return {};
  const std::size_t pitch = row_pitch(rows_of_matrix(p), p.precision);
  if (pitch > most_result_row_bytes) return {};
  DeviceBytes bytes;
  bytes.a = static_cast<std::size_t>(p.n) * pitch;
  bytes.b = p.routine == LapackRoutine::potrf
                ? panels_on_device * panel_bytes(p, width)
                : scratch_bytes(p, width) + reflector_bytes(p, pitch) + numbers_bytes(p, width);
  bytes.c = bytes_of_call(p, width);
  for (const GemmProblem& update : updates(p, width)) {
    const DeviceBytes taken = bytes_at_once(update, kernel, {false, false, false});
    bytes.packed_a = std::max(bytes.packed_a, taken.packed_a);
    bytes.packed_b = std::max(bytes.packed_b, taken.packed_b);
    bytes.partial = std::max(bytes.partial, taken.partial);
  }
  if (!fits(bytes, kernel, limits)) return {};
  return bytes;
}

GemmProblem product_of(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k,
                       double alpha, double beta) {
  GemmProblem g;
  g.precision = precision;
  g.m = m;
  g.n = n;
  g.k = k;
  g.alpha = alpha;
  g.beta = beta;
  return g;
}

}  // namespace duoblas
