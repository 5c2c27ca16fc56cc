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
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/triangle_leaves.hpp"
#include "problem/adjoint.hpp"

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

namespace {

// The width in panels of a block of V V^H, large enough for a GPU. The wasted part of a block's
// flops is half its width over its length.
constexpr std::int64_t panels_of_strip = 4;

// The triangle in the device's rows, which are LAPACK's columns. The solve is from the left, or
// from the right if the triangle is mirrored.
Level3Problem triangle_of(const LapackProblem& p, Uplo uplo, Diag diag) {
  const bool is_mirrored = p.routine == LapackRoutine::potri && uplo == Uplo::upper;
  return solve_with({is_mirrored ? Side::right : Side::left, uplo, Op::none, diag}, p.precision,
                    p.a, p.lda);
}

// The result. If it is Hermitian, imaginary parts on its diagonal are rounding errors.
Level3Problem result_of(const LapackProblem& p) {
  Level3Problem result;
  result.routine = is_complex(p.precision) ? Routine::herk : Routine::syrk;
  result.precision = p.precision;
  result.uplo = p.uplo == Uplo::lower ? Uplo::upper : Uplo::lower;
  result.c = p.a;
  result.ldc = p.lda;
  return result;
}

}  // namespace

InverseOnDevice::InverseOnDevice(const std::shared_ptr<OpenedDevice>& device,
                                 const LapackProblem& p, const KernelParams& kernel,
                                 std::int64_t width)
    : matrix_(device, p, kernel, width), width_(width) {
  prepare_products(matrix_.device(), p, kernel, width);
  if (p.routine == LapackRoutine::getri)
    inverses_of_l_ = std::make_shared<cl::Buffer>(matrix_.device().context.allocate(
        static_cast<std::size_t>(p.n * width) * element_size(p.precision), cl::Access::read_only));
}

bool InverseOnDevice::is_mirrored() const {
  const LapackProblem& p = matrix_.problem();
  return p.routine == LapackRoutine::potri && p.uplo == Uplo::lower;
}

Interval InverseOnDevice::block_at(std::int64_t first) const {
  return {first, std::min(width_, matrix_.problem().n - first)};
}

BoundOperand InverseOnDevice::f(std::int64_t line, std::int64_t other) const {
  return is_mirrored() ? matrix_.at(other, line) : matrix_.at(line, other);
}

BoundOperand InverseOnDevice::x(std::int64_t line, std::int64_t other) const {
  const BoundOperand place = f(line, other);
  return matrix_.scratch(place.offset_bytes, place.pitch_bytes);
}

// The part of these lines before their block on the diagonal.
DeviceArea InverseOnDevice::beside(Interval lines) const {
  return is_mirrored() ? DeviceArea{0, lines.first, lines.first, lines.count}
                       : DeviceArea{lines.first, 0, lines.count, lines.first};
}

void InverseOnDevice::multiply(GemmProblem product, const BoundOperand& a, const BoundOperand& b,
                               const BoundOperand& c) {
  if (!is_mirrored()) return matrix_.multiply(product, a, b, c);
  std::swap(product.m, product.n);
  std::swap(product.op_a, product.op_b);
  matrix_.multiply(product, b, a, c);
}

void InverseOnDevice::send_triangle() {
  const LapackProblem& p = matrix_.problem();
  matrix_.fill_with_zeros();
  for (std::int64_t i = 0; i < p.n; i += width_) matrix_.send(beside(block_at(i)));
  invert_solvable_unscaled(
      triangle_of(p, is_mirrored() ? Uplo::upper : Uplo::lower, Diag::non_unit), {0, p.n}, width_,
      inverses_, &matrix_.queues().copiers);
  const auto row_bytes = static_cast<std::size_t>(width_) * element_size(p.precision);
  for (std::int64_t i = 0; i < p.n; i += width_) {
    const std::int64_t size = block_at(i).count;
    matrix_.send(rect_of(inverses_.data() + static_cast<std::size_t>(i) * row_bytes, size, size,
                         width_, p.precision),
                 f(i, i));
  }
}

void InverseOnDevice::invert_triangle() {
  const LapackProblem& p = matrix_.problem();
  for (std::int64_t i = 0; i < p.n; i += width_) {
    const std::int64_t size = block_at(i).count, end = i + size;
    multiply(product_of(p.precision, size, i, size, 1, 0), f(i, i), x(i, 0), f(i, 0));
    multiply(product_of(p.precision, p.n - end, end, size, -1, 1), f(end, i), f(i, 0), x(end, 0));
  }
}

void InverseOnDevice::send(std::int64_t) {
  const LapackProblem& p = matrix_.problem();
  send_triangle();
  invert_triangle();
  if (p.routine == LapackRoutine::potri) return;
  for (std::int64_t i = 0; i < p.n; i += width_) {
    const Interval block = block_at(i);
    const std::int64_t end = i + block.count;
    const DeviceArea right{i, end, block.count, p.n - end};
    if (!right.empty()) matrix_.send(matrix_.on_host(right), x(i, end));
  }
  invert_solvable(triangle_of(p, Uplo::upper, Diag::unit), {0, p.n}, width_, inverses_,
                  &matrix_.queues().copiers);
  matrix_.send(rect_of(inverses_.data(), p.n, width_, width_, p.precision),
               {inverses_of_l_, 0, static_cast<std::size_t>(width_) * element_size(p.precision),
                SharingMode::staged});
}

void InverseOnDevice::solve() {
  const LapackProblem& p = matrix_.problem();
  const std::size_t row_bytes = static_cast<std::size_t>(width_) * element_size(p.precision);
  for (std::int64_t i = (p.n - 1) / width_ * width_; i >= 0; i -= width_) {
    const Interval block = block_at(i);
    const BoundOperand inverse{inverses_of_l_, static_cast<std::size_t>(i) * row_bytes, row_bytes,
                               SharingMode::staged};
    multiply(product_of(p.precision, block.count, p.n, block.count, 1, 0), inverse, f(i, 0),
             x(i, 0));
    fetch_solved(block);
    multiply(product_of(p.precision, i, p.n, block.count, -1, 1), x(0, i), x(i, 0), f(0, 0));
  }
}

// Fetches the last rows first, each piece as a whole. So everything before it is still factors in
// the caller's memory.
void InverseOnDevice::fetch_solved(Interval lines) {
  const std::size_t pitch = x(0, 0).pitch_bytes;
  const auto most =
      static_cast<std::int64_t>(std::max<std::size_t>(1, DownloadRing::block_bytes / pitch));
  for (std::int64_t end = lines.first + lines.count; end > lines.first;) {
    const std::int64_t first = std::max(lines.first, end - most);
    const DeviceArea area{first, 0, end - first, matrix_.problem().n};
    rows_of_pieces_.push_back(static_cast<std::size_t>(area.rows));
    matrix_.fetch(x(first, 0), matrix_.on_host(area), pieces_.emplace_back(0), false);
    end = first;
  }
  matrix_.queues().results.advance();
}

void InverseOnDevice::multiply_by_adjoint() {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t strip = panels_of_strip * width_;
  for (std::int64_t i = 0; i < p.n; i += strip) {
    const std::int64_t size = std::min(strip, p.n - i);
    GemmProblem g = product_of(p.precision, size, i + size, p.n - i, 1, 0);
    g.op_a = adjoint(p.precision);
    multiply(g, f(i, i), f(i, 0), x(i, 0));
  }
}

void InverseOnDevice::fetch_triangle() {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t strip = panels_of_strip * width_;
  for (std::int64_t i = 0; i < p.n; i += strip) {
    Diagonal& diagonal = diagonals_.emplace_back();
    diagonal.lines = {i, std::min(strip, p.n - i)};
    const std::int64_t size = diagonal.lines.count;
    diagonal.block.resize(static_cast<std::size_t>(size * size) * element_size(p.precision));
  }
  is_written_ = true;
  for (Diagonal& diagonal : diagonals_) {
    const Interval lines = diagonal.lines;
    const HostRect apart =
        rect_of(diagonal.block.data(), lines.count, lines.count, lines.count, p.precision);
    matrix_.fetch(x(lines.first, lines.first), apart, diagonal.arrived);
    const DeviceArea rest = beside(lines);
    if (!rest.empty())
      matrix_.fetch(x(lines.first, 0), matrix_.on_host(rest), pieces_.emplace_back(0));
  }
}

void InverseOnDevice::apply(Interval, Interval) {
  if (matrix_.problem().routine == LapackRoutine::getri)
    solve();
  else
    multiply_by_adjoint();
}

void InverseOnDevice::wait_for_next() {
  const bool is_triangle = matrix_.problem().routine == LapackRoutine::potri;
  if (is_triangle) fetch_triangle();
  matrix_.wait_for_results();
  matrix_.finish();
  const Level3Problem result = result_of(matrix_.problem());
  for (const Diagonal& diagonal : diagonals_)
    store_triangle_of_c(result, diagonal.lines, diagonal.lines, diagonal.block,
                        &matrix_.queues().copiers);
}

std::int64_t InverseOnDevice::abandon() noexcept {
  matrix_.drain();
  if (matrix_.problem().routine == LapackRoutine::potri) return is_written_ ? 1 : 0;
  std::size_t lines = 0;
  for (std::size_t i = 0; i < pieces_.size() && pieces_[i] == rows_of_pieces_[i]; ++i)
    lines += pieces_[i];
  return static_cast<std::int64_t>(lines);
}

std::unique_ptr<FactorsOnDevice> make_inverse(const std::shared_ptr<OpenedDevice>& device,
                                              const LapackProblem& p, const KernelParams& kernel,
                                              std::int64_t width) {
  return std::make_unique<InverseOnDevice>(device, p, kernel, width);
}

}  // namespace duoblas
