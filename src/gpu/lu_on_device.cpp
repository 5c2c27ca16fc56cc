// Updates of getrf on the device. In each column behind the panel rows are swapped (row_exchange),
// those of U solved for, in leaves of the panel's triangle whose inverses the host computed in
// double precision as for trsm (level3_program.hpp), and the rest updated.
#include "gpu/lu_on_device.hpp"

#include <algorithm>

#include "gpu/diagonal_blocks.hpp"
#include "gpu/row_exchange.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t leaf = 64;

GemmProblem product(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k,
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

// The panel's triangle with ones on its diagonal: as rows of the device it is an upper one.
Level3Problem triangle_of(const LapackProblem& p) {
  Level3Problem triangle;
  triangle.routine = Routine::trsm;
  triangle.precision = p.precision;
  triangle.side = Side::right;
  triangle.uplo = Uplo::upper;
  triangle.diag = Diag::unit;
  triangle.a = p.a;
  triangle.lda = p.lda;
  return triangle;
}

}  // namespace

LuOnDevice::LuOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                       const KernelParams& kernel, std::int64_t width)
    : matrix_(device, p, kernel, width) {
  for (const GemmProblem& of_kernel : products_by_kernel(p, kernel, width)) {
    KernelParams any_size = kernel;
    any_size.inline_sizes = false;
    prepare_product(matrix_.device(), any_size, p.precision, of_kernel.op_a, of_kernel.op_b,
                    rows_of(of_kernel, any_size));
  }
  prepare_exchange(matrix_.device(), p.precision);
}

void LuOnDevice::send(std::int64_t first) {
  const LapackProblem& p = matrix_.problem();
  matrix_.send({first, 0, p.n - first, p.m});
}

void LuOnDevice::update(Interval panel, Interval columns, const RowMoves& moves) {
  if (columns.count <= 0) return;
  const LapackProblem& p = matrix_.problem();
  const std::int64_t end = panel.first + panel.count, c = columns.first;
  matrix_.start_after_sent();
  matrix_.note(submit_exchange(matrix_.device(), p.precision, columns.count, moves,
                               {matrix_.at(c, 0), matrix_.panel_scratch(c, 0), moves_.get(), 0}));
  const std::size_t element = element_size(p.precision);
  for (std::int64_t l = 0; l < panel.count; l += leaf) {
    const std::int64_t size = std::min(leaf, panel.count - l), rest = panel.count - l - size;
    const BoundOperand inverse{inverses_, static_cast<std::size_t>(l * leaf) * element,
                               static_cast<std::size_t>(leaf) * element, SharingMode::staged};
    const BoundOperand solved = matrix_.at(c, panel.first + l);
    matrix_.multiply(product(p.precision, columns.count, size, size, 1, 0),
                     matrix_.panel_scratch(c, l), inverse, solved);
    matrix_.multiply(product(p.precision, columns.count, rest, size, -1, 1), solved,
                     matrix_.at(panel.first + l, panel.first + l + size),
                     matrix_.panel_scratch(c, l + size));
  }
  matrix_.multiply(product(p.precision, columns.count, p.m - end, panel.count, -1, 1),
                   matrix_.at(c, panel.first), matrix_.at(panel.first, end), matrix_.at(c, end));
}

void LuOnDevice::apply(Interval panel, Interval next) {
  const LapackProblem& p = matrix_.problem();
  arrived_ = 0;
  matrix_.send({panel.first, panel.first, panel.count, p.m - panel.first});
  const RowMoves moves = row_moves(panel.first, panel.count, p.pivots + panel.first);
  moves_ = matrix_.send_bytes(moves.moves.data(), moves.moves.size() * sizeof(std::int32_t));
  DenseBlock inverses;
  invert_leaves(triangle_of(p), panel, leaf, inverses);
  inverses_ = matrix_.send_bytes(inverses.data(), inverses.size());
  update(panel, next, moves);
  const DeviceArea area{next.first, 0, next.count, p.m};
  matrix_.fetch(area, matrix_.on_host(area), arrived_);
  update(panel, {next.first + next.count, p.n - next.first - next.count}, moves);
}

void LuOnDevice::wait_for_next() {
  matrix_.wait_for_results();
}

void LuOnDevice::finish() {
  matrix_.finish();
}

std::int64_t LuOnDevice::abandon() noexcept {
  matrix_.drain();
  return static_cast<std::int64_t>(arrived_);
}

}  // namespace duoblas
