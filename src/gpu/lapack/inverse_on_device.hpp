// getri and potri on a device that works on copies. It has two matrices, F and X, whose rows are
// LAPACK's columns: U is a lower triangle there (U of potri, too; its L is the same, mirrored).
//
//     host    inverts diagonal blocks of U | those of L
//     bus     U -> F, with the inverses    | L -> X      |                   <- X, last rows first
//     device                               | V = inv(U)  | X L = V (getri), or V V^H (potri)
//
//     V, block after block: F_J. = D_J X_J.; then X_rest -= F_rest,J (F_J., D_J), with D_J on the
//     diagonal of F; X begins as zeros. V takes U's place.
//     X L = V, last block first: X_J = E_J F_J; then F_before -= L_before,J X_J. F is V to begin
//     with, and X_J comes to where L is of no more use.
//
// D and E are inverses of diagonal blocks that the host computed in double precision, as for trsm
// (level3_program.hpp): all is gemm. Where a block is conditioned so badly that products with its
// inverse lose what LAPACK's substitution keeps, the CPU has the call (triangle_leaves.hpp). (The
// order of steps is LAPACK's, so that inv(A) A differs from 1 by rounding errors: J. J. Du Croz, N.
// J. Higham, Stability of methods for matrix inversion, IMA J. Numer. Anal. 12, 1992, method B.)
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "gpu/level3/diagonal_blocks.hpp"

namespace duoblas {

class InverseOnDevice final : public FactorsOnDevice {
 public:
  InverseOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                  const KernelParams& kernel, std::int64_t width);

  /// Sends the factors, and computes V.
  void send(std::int64_t first) override;
  /// The second step. For getri the results are then in transfer; for potri nothing is written yet.
  void apply(Interval panel, Interval next) override;
  /// Waits until the inverse is in the caller's memory; for getri its columns are not exchanged
  /// yet.
  void wait_for_next() override;
  void finish() override { matrix_.finish(); }
  /// getri: the number of last columns that are complete; those before are as they were. potri: 1
  /// if something may have been written, else 0.
  std::int64_t abandon() noexcept override;

 private:
  struct Diagonal {
    Interval lines;
    DenseBlock block;
    std::size_t arrived = 0;
  };

  bool is_mirrored() const;
  Interval block_at(std::int64_t first) const;
  BoundOperand f(std::int64_t line, std::int64_t other) const;
  BoundOperand x(std::int64_t line, std::int64_t other) const;
  DeviceArea beside(Interval lines) const;
  void multiply(GemmProblem product, const BoundOperand& a, const BoundOperand& b,
                const BoundOperand& c);
  void send_triangle();
  void invert_triangle();
  void solve();
  void fetch_solved(Interval lines);
  void multiply_by_adjoint();
  void fetch_triangle();

  MatrixOnDevice matrix_;
  const std::int64_t width_;
  DenseBlock inverses_;
  std::shared_ptr<const cl::Buffer> inverses_of_l_;
  std::deque<std::size_t> pieces_, rows_of_pieces_;  ///< arrived, and of how many
  std::deque<Diagonal> diagonals_;
  bool is_written_ = false;
};

}  // namespace duoblas
