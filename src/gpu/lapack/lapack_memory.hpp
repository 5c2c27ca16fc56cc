// The device memory that a call of LAPACK needs: the matrix with its rows apart, scratch beside it,
// and what products with it take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Bytes between rows of so many elements on the device.
std::size_t row_pitch(std::int64_t columns, Precision precision);

/// For all but potrf: the columns of the scratch beside the matrix, and its bytes. `width`: of
/// panels.
std::int64_t scratch_columns(const LapackProblem& p, std::int64_t width);
std::size_t scratch_bytes(const LapackProblem& p, std::int64_t width);

/// For a panel of potrf: the pitch for as many rows as it has lines (lower), or for rows of their
/// length (upper).
std::size_t panel_pitch(const LapackProblem& potrf, std::int64_t width);
std::size_t panel_bytes(const LapackProblem& potrf, std::int64_t width);
/// The number of panels on the device. Strips of the matrix may arrive this many panels late.
inline constexpr std::size_t panels_on_device = 8;

/// Numbers that belong to a panel of getrf: the moves of its rows, and inverses of its leaves.
struct PanelNumbers {
  static constexpr std::int64_t leaf = 64;  ///< lines of an inverted triangle

  PanelNumbers(Precision precision, std::int64_t width);
  std::size_t inverses_from, bytes;  ///< both multiples of every kernel's alignment
};

/// A product in the matrix: its sizes and scalars.
GemmProblem product_of(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k,
                       double alpha, double beta);

/// For the whole call; `c` is for this call only. Nothing if a size exceeds what kernels, a buffer
/// or the transfer back may have, or the memory is not there.
std::optional<DeviceBytes> device_bytes(const LapackProblem& p, const KernelParams& kernel,
                                        std::int64_t width, const DeviceLimits& limits);

}  // namespace duoblas
