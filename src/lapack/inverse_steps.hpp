// getri and potri as LAPACK has them, in place, in blocks of columns:
//
//     V = inv(U)   block after block: U_0J = U_0J inv(U_JJ), then what is right of J:
//                  U_0. -= U_0J U_J. (a product), U_JJ = inv(U_JJ), U_J. = -U_JJ U_J.
//     X L = V      last block first: X_J = (V_J - X_after L_after,J) inv(L_JJ) (a product)
//     V V^H        block after block: V_0J = V_0J V_JJ^H + V_0. V_J.^H (a product), V_JJ likewise
//
// (For potri's lower triangle the same mirrored: L^H L.) In the second step, columns behind a block
// are the inverse and those before it are factors, so the step can begin anywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "lapack/block_steps.hpp"
#include "os/page_block.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/partition.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

class InverseSteps {
 public:
  /// The CPU does everything. `width`: of blocks. \throws std::bad_alloc.
  InverseSteps(Engine& engine, const LapackProblem& p, std::int64_t width, const CpuConfig& cpu);
  InverseSteps(const InverseSteps&) = delete;
  InverseSteps& operator=(const InverseSteps&) = delete;

  /// The products, in the order of run(): row-major, rows are columns of the matrix.
  std::vector<GemmProblem> products() const;

  /// Computes the products from now on.
  using Multiply = std::function<void(const GemmProblem&)>;
  void multiply_by(Multiply multiply) { multiply_ = std::move(multiply); }

  /// \pre no zero on the diagonal of U (L). \throws the exceptions of products; CpuBlasError.
  void run();
  /// For getri, if the last columns are solved for already.
  void run_before(std::int64_t end);
  /// For getri, at the very end: exchanges columns as rows of A were exchanged.
  void swap_columns();

 private:
  bool is_lower() const { return p_.uplo == Uplo::lower && p_.routine == LapackRoutine::potri; }
  Uplo uplo() const { return is_lower() ? Uplo::lower : Uplo::upper; }
  Interval block_at(std::int64_t first, std::int64_t end) const;
  Block place(Interval lines, Interval others) const;

  GemmProblem update(Interval block, std::int64_t end) const;
  GemmProblem solved_part(Interval block) const;
  GemmProblem adjoint_part(Interval block) const;

  struct Factor {
    const void* triangle = nullptr;
    std::int64_t ld = 0;
    Uplo uplo = Uplo::upper;
    Diag diag = Diag::non_unit;
    Op op = Op::none;
  };
  struct Target {
    void* first = nullptr;
    std::int64_t ld = 0, rows = 0, columns = 0;
  };
  /// trsm: x = inv(op(factor)) x, or x inv(op(factor)); trmm: without the inverse, times alpha.
  void apply(Routine routine, const Factor& factor, Side side, double alpha, const Target& x) const;
  Target target(const Block& block) const;
  Factor diagonal(Interval block, Op op) const;
  void invert_diagonal(Interval block) const;
  void square_diagonal(Interval block) const;
  void add_square(Interval block, Interval rest) const;

  void invert_triangle(std::int64_t end);
  void solve(std::int64_t end);
  void take_factor(Interval block);
  void multiply_by_adjoint();

  Engine& engine_;
  const LapackProblem p_;
  const std::int64_t width_;
  const CpuConfig cpu_;
  const BlockSteps steps_;
  Multiply multiply_;
  PageBlock diagonal_;  ///< the future contents of a block on the diagonal
  PageBlock factor_;    ///< getri: the part of L in a block's columns
};

}  // namespace duoblas
