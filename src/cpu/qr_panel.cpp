#include "cpu/qr_panel.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "cpu/qr_bands.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// One panel on its way.
template <typename T>
class Work : public QrBands<T> {
  using Base = QrBands<T>;
  using Base::from_, Base::ld_from_, Base::rows_, Base::columns_, Base::to_;
  using Base::get, Base::set;
  using Base::memory_of, Base::inner_of, Base::turned_of, Base::told_by, Base::r, Base::row_of;
  using Base::multiply_inner, Base::add_rows_up, Base::row_of_products, Base::tell_products;
  using Base::parts;
  using Base::places_, Base::threads_, Base::barrier_, Base::loops_;
  using Base::store_reflector;
  using typename Base::Own, typename Base::Real;

 public:
  Work(const LapackProblem& p, const QrPanel::Reflectors& to, const PanelSource& from, void* memory,
       int threads)
      : Base(p, to, from, memory, threads),
        a_(static_cast<T*>(p.a)),
        lda_(p.lda),
        rows_above_(from.columns != nullptr ? from.rows_above : 0),
        tau_(static_cast<T*>(p.tau)),
        scales_(static_cast<std::size_t>(p.n)),
        taus_(static_cast<std::size_t>(p.n)) {}

  bool is_done() const { return is_done_; }

  void run(int thread) {
    Own own(places_, rows_, thread, memory_of(thread));
    own.fetch(from_, ld_from_, columns_);
    if (!scale(own)) return;
    for (std::int64_t first = 0; first < columns_; first += inner_width) {
      const std::int64_t end = std::min(first + inner_width, columns_);
      own.shrink(first);
      for (std::int64_t j = first; j < end; ++j)
        if (!eliminate(own, j, end)) return;
      join(own, first, end);
    }
    store(own);
  }

 private:
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
      // In two steps, so that neither overflows.
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
    Real sums[parts * parts * inner_width + 1] = {};
    for (int thread = 0; thread < threads_; ++thread)
      for (std::int64_t j = 0; j <= all; ++j) sums[j] += told_by(thread, column)[j];
    T products[inner_width] = {};
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
    T factors[inner_width] = {};
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
      Real of_re[2 * inner_width] = {}, of_im[2 * inner_width] = {};
      for (std::int64_t j = 1; j < end - column; ++j) {
        of_re[2 * j] = of_im[2 * j] = factors[j].real();
        of_re[2 * j + 1] = factors[j].imag();
        of_im[2 * j - 1] = -factors[j].imag();
      }
      loops_.reflect(own.stored, 2 * column, 2 * end, 1, of_re);
      loops_.reflect(own.stored, 2 * column + 1, 2 * end, 1, of_im);
    }
  }

  // The inner panel's reflectors at once, in the columns behind it; and their products with all
  // before.
  void join(const Own& own, std::int64_t first, std::int64_t end) {
    const std::int64_t depth = end - first, width = places_.width;
    multiply_inner(own, first, end);
    add_rows_up(own, 0, parts * depth);
    Real* const w = turned_of(own.thread);
    const auto row_of_w = [&](std::int64_t k) { return row_of_products(own, k); };
    if (own.thread == 0)
      for (std::int64_t k = 0; k < depth; ++k) tell_products(own, first, k);
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
    loops_.update(own.stored, parts * first, parts * depth, parts * (first + depth),
                  parts * columns_, w, width);
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
    for (std::int64_t j = own.thread; j < columns_ && rows_above_ > 0; j += threads_)
      std::copy_n(from_ + j * ld_from_ - rows_above_, rows_above_, a_ + j * lda_ - rows_above_);
    for (std::int64_t j = 0; j < columns_; ++j) {
      const int exponent = scales_[static_cast<std::size_t>(j)];
      T* const column = a_ + j * lda_;
      const std::int64_t last = own.first + own.count;
      for (std::int64_t i = own.first; i < std::min(last, j + 1); ++i)
        column[i] = scaled(r(i, j), exponent);
      store_reflector(own, j);
      const T* const v = static_cast<const T*>(to_.v) + j * to_.ldv;
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

  // The least sum of squares that is far from underflow.
  static constexpr Real least =
      std::numeric_limits<Real>::min() /
      (std::numeric_limits<Real>::epsilon() * std::numeric_limits<Real>::epsilon());

  T* const a_;
  const std::int64_t lda_, rows_above_;
  T* const tau_;
  std::vector<int> scales_;
  std::vector<T> taus_;
  bool is_done_ = false;
};

template <typename T>
bool factorise(const LapackProblem& p, const QrPanel::Reflectors& to, const PanelSource& from,
               void* memory, ThreadTeam& team) {
  Work<T> work(p, to, from, memory, threads_for_panel(p.m, team.size()));
  team.run(work.threads(), [&](int thread) { work.run(thread); });
  return work.is_done();
}

template <typename T>
void gather(const LapackProblem& p, const QrPanel::Reflectors& to, void* memory, ThreadTeam& team) {
  QrBands<T> bands(p, to, {}, memory, threads_for_panel(p.m, team.size()));
  team.run(bands.threads(), [&](int thread) { bands.gather(thread); });
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

bool QrPanel::factorise(const LapackProblem& geqrf, const Reflectors& to, const PanelSource& from) {
  return with_element_type(precision_, [&](auto zero) {
    return duoblas::factorise<decltype(zero)>(geqrf, to, from, memory_.get(), team_);
  });
}

void QrPanel::gather(const LapackProblem& geqrf, const Reflectors& to) {
  with_element_type(precision_, [&](auto zero) {
    duoblas::gather<decltype(zero)>(geqrf, to, memory_.get(), team_);
  });
}

}  // namespace duoblas
