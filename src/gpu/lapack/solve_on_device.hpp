// getrs and potrs on a device that works on copies, with many right-hand sides: rows of the device
// are LAPACK's columns, of the factors F and of right-hand sides, which come in strips.
//
//     bus     F, strip 0 -> | strip 1 ->                | <- strip 0
//     device                | L Y = P B, U X = Y of 0   | of strip 1
//
//     A solve goes block after block, from acc to done: done_J = acc_J inv(F_JJ), then
//     acc_rest -= done_J F_J,rest; what is done is the next solve's acc, and the other way round.
//     Behind LU's panels on the device L's columns have not had the swaps that came after them: so
//     rows of acc are swapped panel by panel, each time before what the panel solves for.
//     potrs: L Y = B, L^H X = Y, or U^H Y = B, U X = Y, with one triangle of F.
//
// The host computes inverses of diagonal blocks in double precision. If a block's condition number
// is large, its solution is corrected once with its residual. Without that the largest residuals of
// LAPACK's testers were 43 roundings (with a condition number of 4e14); they accept 30. If it is so
// large that one correction is not enough, the block is solved with in smaller leaves.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "gpu/lapack/row_exchange.hpp"
#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/triangle_leaves.hpp"

namespace duoblas {

class SolveOnDevice final : public FactorsOnDevice {
 public:
  SolveOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                const KernelParams& kernel, std::int64_t width);
  /// Uses the factors that a factorisation left on the device. Columns of L of LU before
  /// `panels_end` had only the swaps up to their panel; the rest of the matrix, in both directions,
  /// is sent. \throws DeviceError.
  SolveOnDevice(MatrixOnDevice& of_factors, const LapackProblem& solve, const KernelParams& kernel,
                std::int64_t width, std::int64_t panels_end);

  /// Sends the factors.
  void send(std::int64_t first) override;
  /// Sends right-hand sides, solves, and starts the transfer of the results: `next` of them.
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override { matrix_.wait_for_results(); }
  void finish() override { matrix_.finish(); }
  /// The number of first right-hand sides that are solved for; the others are as they were. (For op
  /// T and C without the exchanges of rows, which the host does.)
  std::int64_t abandon() noexcept override;

 private:
  struct Triangle {
    Uplo uplo = Uplo::upper;  ///< on the device, whose rows are LAPACK's columns
    Op op = Op::none;
    std::shared_ptr<const cl::Buffer> inverses, blocks;
    std::vector<std::vector<TriangleLeaf>> leaves;  ///< of each block

    bool ascends() const { return (uplo == Uplo::upper) == (op == Op::none); }
  };

  /// The exchanges of a block of rows.
  struct Swaps {
    RowMoves moves;
    std::shared_ptr<const cl::Buffer> sent;
  };

  BoundOperand sides(int copy, std::int64_t side, std::int64_t row) const;
  BoundOperand of_triangle(const std::shared_ptr<const cl::Buffer>& buffer,
                           std::int64_t line) const;
  void prepare(const KernelParams& kernel);
  Triangle sent_triangle(Uplo uplo, Op op, Diag diag);
  void send_stored_triangle();
  void solve(const Triangle& triangle, Interval strip, int from, bool swaps);
  void solve_block(const Triangle& triangle, Interval block, Interval strip, int from);
  void solve_leaf(const Triangle& triangle, const TriangleLeaf& leaf, Interval strip, int from);
  void subtract(const Triangle& triangle, Interval solved, Interval rest, Interval strip, int from,
                int to);
  void send_swaps();
  void swap_rows(Interval strip, Interval rows);

  std::unique_ptr<MatrixOnDevice> own_;
  MatrixOnDevice& matrix_;
  const LapackProblem p_;
  const std::int64_t width_;
  const std::int64_t panels_end_ = 0;        ///< of factors that were there before
  std::shared_ptr<const cl::Buffer> sides_;  ///< null: in the matrix's scratch
  std::size_t side_pitch_ = 0;
  Triangle first_, second_;          ///< in the order of the solves
  std::vector<Swaps> swaps_;         ///< for op none
  std::deque<std::size_t> arrived_;  ///< right-hand sides of each strip
};

/// Bytes of device memory beside the factors.
std::size_t solve_bytes(const LapackProblem& p);

}  // namespace duoblas
