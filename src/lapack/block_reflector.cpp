#include "lapack/block_reflector.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "problem/adjoint.hpp"
#include "problem/caller_gemm.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Columns that LAPACK factorises one by one.
constexpr std::int64_t leaf = 32;

std::size_t bytes_of(std::int64_t elements, Precision precision) {
  return static_cast<std::size_t>(elements) * element_size(precision);
}

// Rows of the device start at multiples of this many elements.
std::int64_t in_units(std::int64_t rows) {
  constexpr std::int64_t unit = 16;
  return (rows + unit - 1) / unit * unit;
}

std::int64_t half_of(std::int64_t count) {
  constexpr std::int64_t unit = 8;
  return std::max(unit, count / 2 / unit * unit);
}

// Columns of A as V has them: ones on the diagonal, zeros above.
template <typename T>
void copy_reflectors(const T* a, std::int64_t lda, std::int64_t rows, std::int64_t first,
                     std::int64_t count, T* v, std::int64_t ldv) {
  for (std::int64_t j = 0; j < count; ++j) {
    T* const column = v + j * ldv;
    const std::int64_t diagonal = first + j;
    std::fill_n(column, diagonal, T(0));
    column[diagonal] = 1;
    std::copy(a + j * lda + diagonal + 1, a + j * lda + rows, column + diagonal + 1);
  }
}

// T of so many reflectors by the products of each two of them: its column j is -tau_j T (V^H v_j).
// The row and the column of a reflector that does nothing (tau = 0) are zeros.
template <typename T>
void fill_triangle(const T* tau, const T* gram, std::int64_t ldg, std::int64_t count, T* t,
                   std::int64_t ldt) {
  for (std::int64_t j = 0; j < count; ++j) {
    T* const column = t + j * ldt;
    std::fill_n(column, count, T(0));
    if (tau[j] != T(0))
      for (std::int64_t k = 0; k < j; ++k) {
        const T factor = -tau[j] * gram[j * ldg + k];
        for (std::int64_t i = 0; i <= k; ++i) column[i] += t[k * ldt + i] * factor;
      }
    column[j] = tau[j];
  }
}

}  // namespace

GemmProblem row_major(Precision precision, const ColumnMajorProduct& product) {
  CallerGemm call;
  call.layout = Layout::column_major;
  GemmProblem& g = call.args;
  g.precision = precision;
  g.op_a = product.a.op;
  g.op_b = product.b.op;
  g.m = product.rows;
  g.n = product.columns;
  g.k = product.depth;
  g.alpha = product.alpha;
  g.beta = product.beta;
  g.a = product.a.data;
  g.lda = product.a.ld;
  g.b = product.b.data;
  g.ldb = product.b.ld;
  g.c = product.c;
  g.ldc = product.ldc;
  return to_row_major(call);
}

BlockReflector::BlockReflector(Engine& engine, const LapackProblem& whole, std::int64_t width,
                               const CpuConfig& cpu, std::shared_ptr<QrThreads> threads)
    : engine_(engine),
      p_(whole),
      width_(width),
      cpu_(cpu),
      threads_(std::move(threads)),
      t_(bytes_of(width * width, whole.precision)),
      gram_(bytes_of(2 * width * width, whole.precision)),
      products_(bytes_of(width * width, whole.precision)) {}

void* BlockReflector::v(std::int64_t row, std::int64_t column) const {
  return element_of(v_begin_, ldv_, row, column, p_.precision);
}

void* BlockReflector::t(std::int64_t row, std::int64_t column) const {
  return element_of(t_begin_, ldt_, row, column, p_.precision);
}

void BlockReflector::run(const GemmProblem& product) const {
  if (product.empty()) return;
  if (threads_ && threads_->blas && !product.only_scales_c())
    threads_->blas->multiply(product);
  else
    engine_.cpu().run(product, cpu_);
}

void BlockReflector::reserve_v(std::int64_t rows) {
  const std::size_t bytes = bytes_of(in_units(rows) * width_, p_.precision);
  if (v_.bytes() < bytes) v_ = PageBlock(bytes);
}

void BlockReflector::reserve_w(std::int64_t columns) {
  const std::size_t bytes = 2 * bytes_of(width_ * columns, p_.precision);
  if (w_.bytes() < bytes) w_ = PageBlock(bytes);
}

void BlockReflector::reserve(std::int64_t columns) {
  reserve_v(p_.m);
  reserve_w(std::max(width_, columns));
}

void BlockReflector::begin(Interval panel) {
  panel_ = panel;
  if (elsewhere_.v != nullptr) {
    v_begin_ = elsewhere_.v;
    ldv_ = elsewhere_.ldv;
    t_begin_ = elsewhere_.t;
    ldt_ = elsewhere_.ldt;
    return;
  }
  reserve_v(rows());
  v_begin_ = v_.data();
  ldv_ = in_units(rows());
  t_begin_ = t_.data();
  ldt_ = width_;
}

// Columns of the panel in it, as a matrix of their own.
LapackProblem BlockReflector::part_of_a(std::int64_t first, std::int64_t count) const {
  const std::int64_t at = panel_.first + first;
  LapackProblem part = p_;
  part.m = rows() - first;
  part.n = count;
  part.a = element_of(p_.a, p_.lda, at, at, p_.precision);
  part.tau = element_of(p_.tau, 1, at, 0, p_.precision);
  return part;
}

void BlockReflector::take_from(const PanelSource& source) const {
  if (source.columns == nullptr) return;
  for (std::int64_t j = 0; j < panel_.count; ++j)
    std::memcpy(element_of(p_.a, p_.lda, 0, panel_.first + j, p_.precision),
                element_of(const_cast<void*>(source.columns), source.ld, 0, j, p_.precision),
                bytes_of(p_.m, p_.precision));
}

void BlockReflector::factorise(Interval panel, const PanelSource& source) {
  begin(panel);
  const bool in_halves = narrow_ > 0 && source.columns == nullptr;
  if (!in_halves && has_threads_factorise(0, panel.count, source)) return;
  take_from(source);
  factorise(0, panel.count);
}

bool BlockReflector::has_threads_factorise(std::int64_t first, std::int64_t count,
                                           const PanelSource& source) {
  if (!threads_) return false;
  const LapackProblem part = part_of_a(first, count);
  void* const products = element_of(products_.data(), width_, first, first, p_.precision);
  try {
    if (!threads_->panel->suits(part) ||
        !threads_->panel->factorise(part, {v(first, first), ldv_, products, width_}, source))
      return false;
  } catch (const std::bad_alloc&) {
    return false;  // nothing was written yet
  }
  with_element_type(p_.precision, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t j = first; j < first + count; ++j)
      std::fill_n(static_cast<T*>(v(0, j)), first, T(0));
  });
  has_products_ = true;
  gather_triangle(first, count);
  has_products_ = false;
  return true;
}

bool BlockReflector::has_threads_gather() {
  if (!threads_) return false;
  const LapackProblem part = part_of_a(0, panel_.count);
  if (!threads_->panel->suits(part)) return false;
  try {
    threads_->panel->gather(part, {v(0, 0), ldv_, products_.data(), width_});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void BlockReflector::gather(Interval panel) {
  begin(panel);
  has_products_ = has_threads_gather();
  if (!has_products_)
    with_element_type(p_.precision, [&](auto zero) {
      using T = decltype(zero);
      const auto* a =
          static_cast<const T*>(element_of(p_.a, p_.lda, panel_.first, panel_.first, p_.precision));
      copy_reflectors(a, p_.lda, rows(), 0, panel_.count, static_cast<T*>(v(0, 0)), ldv_);
    });
  gather_triangle(0, panel.count);
  has_products_ = false;
}

void BlockReflector::restore() const {
  with_element_type(p_.precision, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t j = 0; j < panel_.count; ++j) {
      const auto* column = static_cast<const T*>(v(0, j));
      auto* a =
          static_cast<T*>(element_of(p_.a, p_.lda, panel_.first, panel_.first + j, p_.precision));
      std::copy(column + j + 1, column + rows(), a + j + 1);
    }
  });
}

void BlockReflector::factorise(std::int64_t first, std::int64_t count) {
  const std::int64_t at = panel_.first + first;
  if (count <= narrow_ && has_threads_factorise(first, count, {})) return;
  if (count <= leaf) {
    LapackProblem part = part_of_a(first, count);
    part.routine = LapackRoutine::geqrf;
    engine_.cpu().run(part, cpu_);
    with_element_type(p_.precision, [&](auto zero) {
      using T = decltype(zero);
      const auto* a =
          static_cast<const T*>(element_of(p_.a, p_.lda, panel_.first, at, p_.precision));
      copy_reflectors(a, p_.lda, rows(), first, count, static_cast<T*>(v(0, first)), ldv_);
    });
    gather_triangle(first, count);
    return;
  }
  const std::int64_t half = half_of(count);
  factorise(first, half);
  apply_part(first, half, adjoint(p_.precision),
             {element_of(p_.a, p_.lda, at, at + half, p_.precision), p_.lda, count - half});
  factorise(first + half, count - half);
  join(first, half, count);
}

void BlockReflector::gather_triangle(std::int64_t first, std::int64_t count) {
  if (count > leaf) {
    const std::int64_t half = half_of(count);
    gather_triangle(first, half);
    gather_triangle(first + half, count - half);
    join(first, half, count);
    return;
  }
  const ColumnMajorFactor part{v(first, first), ldv_, Op::none};
  void* const products = has_products_
                             ? element_of(products_.data(), width_, first, first, p_.precision)
                             : gram_.data();
  if (!has_products_)
    run({count,
         count,
         rows() - first,
         {part.data, ldv_, adjoint(p_.precision)},
         part,
         products,
         width_});
  with_element_type(p_.precision, [&](auto zero) {
    using T = decltype(zero);
    const auto* tau =
        static_cast<const T*>(element_of(p_.tau, 1, panel_.first + first, 0, p_.precision));
    fill_triangle(tau, static_cast<const T*>(products), width_, count,
                  static_cast<T*>(t(first, first)), ldt_);
  });
}

void BlockReflector::join(std::int64_t first, std::int64_t half, std::int64_t count) {
  const std::int64_t second = first + half, others = count - half;
  const std::int64_t square = width_ * width_;
  void* const inner = has_products_
                          ? element_of(products_.data(), width_, first, second, p_.precision)
                          : gram_.data();
  void* const solved = element_of(gram_.data(), 1, square, 0, p_.precision);
  if (!has_products_)
    run({half,
         others,
         rows() - second,
         {v(second, first), ldv_, adjoint(p_.precision)},
         {v(second, second), ldv_},
         inner,
         width_});
  run({half, others, half, {t(first, first), ldt_}, {inner, width_}, solved, width_, -1});
  run({half, others, others, {solved, width_}, {t(second, second), ldt_}, t(first, second), ldt_});
  with_element_type(p_.precision, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t j = 0; j < half; ++j)
      std::fill_n(static_cast<T*>(t(second, first + j)), others, T(0));
  });
}

void BlockReflector::apply_part(std::int64_t first, std::int64_t count, Op op,
                                const ReflectedColumns& c) {
  if (c.columns <= 0) return;
  const std::int64_t square = width_ * c.columns;
  reserve_w(c.columns);
  const Interval of{first, count};
  void* const w = w_.data();
  void* const turned = element_of(w_.data(), 1, square, 0, p_.precision);
  run(inner(of, c, w));
  run(triangular(of, op, c.columns, w, turned));
  run(outer(of, turned, c));
}

void BlockReflector::apply(Op op, const ReflectedColumns& c) {
  apply_part(0, panel_.count, op, c);
}

GemmProblem BlockReflector::inner(const Interval& of, const ReflectedColumns& c, void* w) const {
  return row_major({of.count,
                    c.columns,
                    rows() - of.first,
                    {v(of.first, of.first), ldv_, adjoint(p_.precision)},
                    {c.data, c.ld},
                    w,
                    width_});
}

GemmProblem BlockReflector::triangular(const Interval& of, Op op, std::int64_t columns,
                                       const void* w, void* result) const {
  return row_major({of.count,
                    columns,
                    of.count,
                    {t(of.first, of.first), ldt_, op},
                    {w, width_},
                    result,
                    width_});
}

GemmProblem BlockReflector::outer(const Interval& of, const void* w,
                                  const ReflectedColumns& c) const {
  return row_major({rows() - of.first,
                    c.columns,
                    of.count,
                    {v(of.first, of.first), ldv_},
                    {w, width_},
                    c.data,
                    c.ld,
                    -1,
                    1});
}

PanelReflector BlockReflector::view(Op op) const {
  return {panel_, op, v_begin_, ldv_, t_begin_, ldt_};
}

}  // namespace duoblas
