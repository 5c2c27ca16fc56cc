#include "cpu/qr_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/panel_bands.hpp"
#include "cpu/thread_barrier.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t leaf = panel_leaf;

// The real parts of a complex column are one column of the band, and the imaginary ones the next:
// so all loops are those of real numbers.
template <typename T>
constexpr std::int64_t parts = is_real<T> ? 1 : 2;

// Where in a panel's memory things are. Sizes are in real numbers.
template <typename T>
struct Places : PanelBands {
  Places(std::int64_t rows, std::int64_t columns, int threads)
      : PanelBands(rows, parts<T> * columns, threads),
        inner(parts<T> * leaf * width),
        turned(inner),
        told((parts<T> * parts<T> + 1) * leaf) {}

  std::int64_t of_thread() const { return band + inner + turned + 2 * told; }
  std::int64_t all(int threads) const {
    return threads * of_thread() + width * width + 2 * parts<T> * leaf;
  }

  std::int64_t inner, turned, told;  ///< sizes
};

// Plain: std::complex's own product repairs infinities, of which there are none here.
template <typename T>
T times(T x, T y) {
  if constexpr (parts<T> == 1)
    return x * y;
  else
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// One panel on its way.
template <typename T>
class Work {
  using Real = PartOf<T>;
  static constexpr std::int64_t parts = duoblas::parts<T>;

 public:
  Work(const LapackProblem& p, const QrPanel::Reflectors& to, void* memory, int threads)
      : a_(static_cast<T*>(p.a)),
        lda_(p.lda),
        rows_(p.m),
        columns_(p.n),
        tau_(static_cast<T*>(p.tau)),
        to_(to),
        places_(p.m, p.n, threads),
        threads_(places_.count),
        memory_(static_cast<Real*>(memory)),
        scales_(static_cast<std::size_t>(columns_)),
        taus_(static_cast<std::size_t>(columns_)),
        barrier_(threads_) {}

  int threads() const { return threads_; }
  bool is_done() const { return is_done_; }

  void run(int thread) {
    Own own(places_, rows_, thread, memory_of(thread));
    fetch(own);
    if (!scale(own)) return;
    for (std::int64_t first = 0; first < columns_; first += leaf) {
      const std::int64_t end = std::min(first + leaf, columns_);
      own.shrink(first);
      for (std::int64_t j = first; j < end; ++j)
        if (!eliminate(own, j, end)) return;
      join(own, first, end);
    }
    store(own);
  }

 private:
  using Own = PanelBand<Real>;

  static T get(const Own& own, std::int64_t row, std::int64_t column) {
    if constexpr (parts == 1)
      return own.at(row, column);
    else
      return {own.at(row, 2 * column), own.at(row, 2 * column + 1)};
  }
  static void set(const Own& own, std::int64_t row, std::int64_t column, T value) {
    own.at(row, parts * column) = std::real(value);
    if constexpr (parts == 2) own.at(row, 2 * column + 1) = value.imag();
  }
  void fetch(const Own& own) const {
    if constexpr (parts == 1) {
      own.fetch(a_, lda_, columns_);
    } else {
      for (std::int64_t j = 0; j < columns_; ++j) {
        Real *const re = own.stored.column(2 * j), *const im = own.stored.column(2 * j + 1);
        const T* const column = a_ + j * lda_ + own.first;
        for (std::int64_t i = 0; i < own.count; ++i) {
          re[i] = column[i].real();
          im[i] = column[i].imag();
        }
        std::fill(re + own.count, re + own.stored.end, Real(0));
        std::fill(im + own.count, im + own.stored.end, Real(0));
      }
    }
  }

  // What threads tell each other: products, and rows of R; of columns in turns.
  Real* memory_of(int thread) const { return memory_ + thread * places_.of_thread(); }
  Real* inner_of(int thread) const { return memory_of(thread) + places_.band; }
  Real* turned_of(int thread) const { return inner_of(thread) + places_.inner; }
  Real* told_by(int thread, std::int64_t column) const {
    return turned_of(thread) + places_.turned + (column % 2) * places_.told;
  }
  Real* common() const { return memory_ + threads_ * places_.of_thread(); }
  static T* elements(Real* memory) { return reinterpret_cast<T*>(memory); }
  T& r(std::int64_t row, std::int64_t column) const {
    return elements(common() + row * places_.width)[column];
  }
  T* row_of(std::int64_t column) const {
    return elements(common() + places_.width * places_.width + (column % 2) * parts * leaf);
  }

  // Here and below all threads find the same.
  bool scale(const Own& own) {
    bool is_finite = true;
    for (std::int64_t j = 0; j < columns_; ++j) {
      Real most = 0;
      for (std::int64_t part = parts * j; part < parts * (j + 1); ++part)
        for (std::int64_t i = 0; i < own.count; ++i) {
          const Real size = std::abs(own.stored.column(part)[i]);
          is_finite &= size <= std::numeric_limits<Real>::max();
          most = std::max(most, size);
        }
      inner_of(own.thread)[j] = is_finite ? most : std::numeric_limits<Real>::infinity();
    }
    barrier_.wait(own.thread);
    for (std::int64_t j = 0; j < columns_; ++j) {
      Real most = 0;
      for (int thread = 0; thread < threads_; ++thread) most = std::max(most, inner_of(thread)[j]);
      is_finite &= most <= std::numeric_limits<Real>::max();
      if (!is_finite) break;
      const int exponent = exponent_of(most);
      if (own.thread == 0) scales_[static_cast<std::size_t>(j)] = exponent;
      if (exponent == 0) continue;
      // In two steps, of which none overflows.
      const Real half = std::ldexp(Real(1), -exponent / 2),
                 rest = std::ldexp(Real(1), -exponent + exponent / 2);
      for (std::int64_t part = parts * j; part < parts * (j + 1); ++part)
        for (std::int64_t i = 0; i < own.count; ++i)
          own.stored.column(part)[i] = own.stored.column(part)[i] * half * rest;
    }
    barrier_.wait(own.thread);  // what was told was read
    return is_finite;
  }
  // Usual sizes stay as they are.
  static int exponent_of(Real most) {
    if (most == 0) return 0;
    const int exponent = std::ilogb(most);
    return std::abs(exponent) < std::numeric_limits<Real>::max_exponent / 8 ? 0 : exponent;
  }

  bool eliminate(const Own& own, std::int64_t column, std::int64_t end) {
    const std::int64_t count = end - column;
    for (std::int64_t i = own.first; i < std::min(own.first + own.count, column); ++i) {
      r(i, column) = get(own, i, column);
      set(own, i, column, 0);
    }
    if (own.has(column)) {
      for (std::int64_t j = column; j < end; ++j) row_of(column)[j - column] = get(own, column, j);
      set(own, column, column, 0);
    }
    const std::int64_t all = parts * parts * count;
    Real* const told = told_by(own.thread, column);
    told[all - 1] = 0;  // of complex numbers one less is told
    for (std::int64_t part = 0; part < parts; ++part)
      loops_.products(own.stored, parts * column + part, parts * end, told + part * parts * count);
    told[all] = has_only_tiny(own, column, told[0]) ? Real(1) : Real(0);
    barrier_.wait(own.thread);
    Real sums[parts * parts * leaf + 1] = {};
    for (int thread = 0; thread < threads_; ++thread)
      for (std::int64_t j = 0; j <= all; ++j) sums[j] += told_by(thread, column)[j];
    T products[leaf] = {};
    for (std::int64_t j = 0; j < count; ++j) {
      products[j] = product_of(sums, j, count);
      if (!std::isfinite(std::real(products[j]) + std::imag(products[j]))) return false;
    }
    const bool is_zero = std::real(products[0]) < least;
    if (is_zero && sums[all] != 0) return false;  // so little that its square underflows
    return reflect(own, column, end, is_zero, products);
  }
  static bool has_only_tiny(const Own& own, std::int64_t column, Real square) {
    const auto has_any = [&](std::int64_t part) {
      const Real* const values = own.stored.column(part);
      return std::any_of(values + own.stored.begin, values + own.stored.end,
                         [](Real value) { return value != 0; });
    };
    return square < least && (has_any(parts * column) || has_any(parts * (column + 1) - 1));
  }
  // conj(the column) times column j behind it: of complex numbers the real parts' products with
  // all parts come first, then those of the imaginary parts, but with its own real parts.
  static T product_of(const Real* sums, std::int64_t j, std::int64_t count) {
    if constexpr (parts == 1) {
      return sums[j];
    } else {
      const Real *const re = sums + 2 * j, *const im = sums + 2 * count + 2 * j;
      if (j == 0) return re[0] + im[0];
      return {re[0] + im[0], re[1] - im[-1]};
    }
  }

  // With the column's norm below the diagonal, squared, and its products with the others.
  bool reflect(const Own& own, std::int64_t column, std::int64_t end, bool is_zero,
               const T* products) {
    const T* const row = row_of(column);
    const T alpha = row[0];
    T beta = alpha, tau = 0, factor = 1;
    if (!is_zero || std::imag(alpha) != 0) {
      const Real real = -std::copysign(
          std::hypot(std::abs(alpha), std::sqrt(std::real(products[0]))), std::real(alpha));
      beta = real;
      tau = (real - alpha) / real;
      factor = T(1) / (alpha - real);
    }
    T factors[leaf] = {};
    if (tau != T(0))
      for (std::int64_t j = 1; j < end - column; ++j)
        factors[j] = times(conjugate(tau), row[j] + times(conjugate(factor), products[j]));
    reflect_columns(own, column, end, factor, factors);
    if (own.has(column)) {
      set(own, column, column, 1);
      r(column, column) = beta;
      for (std::int64_t j = column + 1; j < end; ++j)
        set(own, column, j, get(own, column, j) - factors[j - column]);
    }
    if (own.thread == 0) taus_[static_cast<std::size_t>(column)] = tau;
    return true;
  }

  // As the loop of real numbers, with the factors of both parts.
  void reflect_columns(const Own& own, std::int64_t column, std::int64_t end, T scale,
                       const T* factors) const {
    if constexpr (parts == 1) {
      loops_.reflect(own.stored, column, end, scale, factors);
    } else {
      Real *const re = own.stored.column(2 * column), *const im = own.stored.column(2 * column + 1);
      for (std::int64_t i = own.stored.begin; i < own.stored.end; ++i) {
        const T value = times(T(re[i], im[i]), scale);
        re[i] = value.real();
        im[i] = value.imag();
      }
      Real of_re[2 * leaf] = {}, of_im[2 * leaf] = {};
      for (std::int64_t j = 1; j < end - column; ++j) {
        of_re[2 * j] = of_im[2 * j] = factors[j].real();
        of_re[2 * j + 1] = factors[j].imag();
        of_im[2 * j - 1] = -factors[j].imag();
      }
      loops_.reflect(own.stored, 2 * column, 2 * end, 1, of_re);
      loops_.reflect(own.stored, 2 * column + 1, 2 * end, 1, of_im);
    }
  }

  // The leaf's reflectors at once, in the columns behind it; and their products with all before.
  void join(const Own& own, std::int64_t first, std::int64_t end) {
    const std::int64_t depth = end - first, width = places_.width;
    loops_.inner(own.stored, parts * first, parts * depth, parts * columns_, inner_of(own.thread),
                 width);
    barrier_.wait(own.thread);
    Real* const w = turned_of(own.thread);
    const std::int64_t size = parts * depth * width;
    std::copy_n(inner_of(0), size, w);
    for (int thread = 1; thread < threads_; ++thread) {
      const Real* const part = inner_of(thread);
      for (std::int64_t i = 0; i < size; ++i) w[i] += part[i];
    }
    const auto row_of_w = [&](std::int64_t k) { return elements(w + parts * k * width); };
    if constexpr (parts == 2)
      for (std::int64_t k = 0; k < depth; ++k) take_products_together(w + 2 * k * width);
    if (own.thread == 0)
      for (std::int64_t k = 0; k < depth; ++k)
        std::transform(row_of_w(k), row_of_w(k) + first + k + 1,
                       static_cast<T*>(to_.products) + (first + k) * to_.ld, conjugate<T>);
    // T^H W, row by row: row k is conj(tau_k) (W_k - the rows before, each with the product of the
    // two reflectors): forward, as each reflector would be applied by itself.
    for (std::int64_t k = 0; k < depth; ++k) {
      T* const row = row_of_w(k);
      for (std::int64_t i = 0; i < k; ++i) {
        const T product = row[first + i];
        const T* const done = row_of_w(i);
        for (std::int64_t j = end; j < columns_; ++j) row[j] -= times(product, done[j]);
      }
      const T tau = conjugate(taus_[static_cast<std::size_t>(first + k)]);
      for (std::int64_t j = end; j < columns_; ++j) row[j] = times(row[j], tau);
    }
    if (end == columns_) return;
    if constexpr (parts == 2)
      for (std::int64_t k = 0; k < depth; ++k) spread_factors(w + 2 * k * width, end);
    loops_.update(own.stored, parts * first, parts * depth, parts * columns_, w, width);
  }
  // Makes complex products, in the first row, of a reflector's parts with those of each column.
  void take_products_together(Real* of_re) const {
    const Real* const of_im = of_re + places_.width;
    for (std::int64_t j = 0; j < 2 * columns_; j += 2) {
      of_re[j] += of_im[j + 1];
      of_re[j + 1] -= of_im[j];
    }
  }
  // The second row becomes what imaginary parts are multiplied by.
  void spread_factors(Real* of_re, std::int64_t first) const {
    Real* const of_im = of_re + places_.width;
    for (std::int64_t j = 2 * first; j < 2 * columns_; j += 2) {
      of_im[j] = -of_re[j + 1];
      of_im[j + 1] = of_re[j];
    }
  }

  void store(const Own& own) {
    for (std::int64_t j = 0; j < columns_; ++j) {
      const int exponent = scales_[static_cast<std::size_t>(j)];
      T* const column = a_ + j * lda_;
      const std::int64_t last = own.first + own.count;
      for (std::int64_t i = own.first; i < std::min(last, j + 1); ++i)
        column[i] = scaled(r(i, j), exponent);
      T* const v = static_cast<T*>(to_.v) + j * to_.ldv;
      for (std::int64_t i = own.first; i < last; ++i) v[i] = get(own, i, j);
      const std::int64_t begin = std::clamp(j + 1, own.first, last);
      std::copy(v + begin, v + last, column + begin);
    }
    if (own.thread != 0) return;
    std::ranges::copy(taus_, tau_);
    is_done_ = true;
  }

  static T scaled(T value, int exponent) {
    if constexpr (parts == 1)
      return std::ldexp(value, exponent);
    else
      return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
  }

  // Of squares: far from what underflows.
  static constexpr Real least =
      std::numeric_limits<Real>::min() /
      (std::numeric_limits<Real>::epsilon() * std::numeric_limits<Real>::epsilon());

  T* const a_;
  const std::int64_t lda_, rows_, columns_;
  T* const tau_;
  const QrPanel::Reflectors to_;
  const Places<T> places_;
  const int threads_;
  Real* const memory_;
  std::vector<int> scales_;
  std::vector<T> taus_;
  ThreadBarrier barrier_;
  const PanelLoops<Real>& loops_ = panel_loops<Real>();
  bool is_done_ = false;
};

template <typename T>
bool factorise(const LapackProblem& p, const QrPanel::Reflectors& to, void* memory,
               ThreadTeam& team) {
  Work<T> work(p, to, memory, threads_for_panel(p.m, team.size()));
  team.run(work.threads(), [&](int thread) { work.run(thread); });
  return work.is_done();
}

}  // namespace

QrPanel::QrPanel(ThreadTeam& team, Precision precision, std::int64_t rows, std::int64_t columns)
    : team_(team),
      precision_(precision),
      rows_(rows),
      columns_(columns),
      memory_(with_element_type(precision, [&](auto zero) {
        using T = decltype(zero);
        return panel_memory(panel_elements<Places<T>>(rows, columns, team.size()) *
                            sizeof(PartOf<T>));
      })) {}

bool QrPanel::suits(const LapackProblem& geqrf) const {
  return geqrf.precision == precision_ && geqrf.n >= 1 && geqrf.n <= geqrf.m && geqrf.m <= rows_ &&
         geqrf.n <= columns_;
}

bool QrPanel::factorise(const LapackProblem& geqrf, const Reflectors& to) {
  return with_element_type(precision_, [&](auto zero) {
    return duoblas::factorise<decltype(zero)>(geqrf, to, memory_.get(), team_);
  });
}

}  // namespace duoblas
