#include "cpu/qr_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/panel_bands.hpp"
#include "cpu/thread_barrier.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t leaf = panel_leaf;

// Where in a panel's memory things are.
struct Places : PanelBands {
  Places(std::int64_t rows, std::int64_t columns, int threads)
      : PanelBands(rows, columns, threads),
        inner(leaf * width),
        turned(leaf * width),
        told(4 * leaf) {}

  std::int64_t of_thread() const { return band + inner + turned + told; }
  std::int64_t all(int threads) const { return threads * of_thread() + width * width + 2 * leaf; }

  std::int64_t inner, turned, told;  ///< sizes
};

// One panel on its way.
template <typename T>
class Work {
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
        memory_(static_cast<T*>(memory)),
        scales_(static_cast<std::size_t>(columns_)),
        taus_(static_cast<std::size_t>(columns_)),
        barrier_(threads_) {}

  int threads() const { return threads_; }
  bool is_done() const { return is_done_; }

  void run(int thread) {
    Own own(places_, rows_, thread, memory_of(thread));
    own.fetch(a_, lda_, columns_);
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
  using Own = PanelBand<T>;

  // What threads tell each other: products, and rows of R; of columns in turns.
  T* memory_of(int thread) const { return memory_ + thread * places_.of_thread(); }
  T* inner_of(int thread) const { return memory_of(thread) + places_.band; }
  T* turned_of(int thread) const { return inner_of(thread) + places_.inner; }
  T* told_by(int thread, std::int64_t column) const {
    return turned_of(thread) + places_.turned + (column % 2) * 2 * leaf;
  }
  T* common() const { return memory_ + threads_ * places_.of_thread(); }
  T& r(std::int64_t row, std::int64_t column) const {
    return common()[row * places_.width + column];
  }
  T* row_of(std::int64_t column) const {
    return common() + places_.width * places_.width + (column % 2) * leaf;
  }

  // Here and below all threads find the same.
  bool scale(const Own& own) {
    bool is_finite = true;
    for (std::int64_t j = 0; j < columns_; ++j) {
      T most = 0;
      for (std::int64_t i = 0; i < own.count; ++i) {
        const T size = std::abs(own.stored.column(j)[i]);
        is_finite &= size <= std::numeric_limits<T>::max();
        most = std::max(most, size);
      }
      inner_of(own.thread)[j] = is_finite ? most : std::numeric_limits<T>::infinity();
    }
    barrier_.wait(own.thread);
    for (std::int64_t j = 0; j < columns_; ++j) {
      T most = 0;
      for (int thread = 0; thread < threads_; ++thread) most = std::max(most, inner_of(thread)[j]);
      is_finite &= most <= std::numeric_limits<T>::max();
      if (!is_finite) break;
      const int exponent = exponent_of(most);
      if (own.thread == 0) scales_[static_cast<std::size_t>(j)] = exponent;
      if (exponent == 0) continue;
      // In two steps, of which none overflows.
      const T half = std::ldexp(T(1), -exponent / 2),
              rest = std::ldexp(T(1), -exponent + exponent / 2);
      for (std::int64_t i = 0; i < own.count; ++i)
        own.stored.column(j)[i] = own.stored.column(j)[i] * half * rest;
    }
    barrier_.wait(own.thread);  // what was told was read
    return is_finite;
  }
  // Usual sizes stay as they are.
  static int exponent_of(T most) {
    if (most == 0) return 0;
    const int exponent = std::ilogb(most);
    return std::abs(exponent) < std::numeric_limits<T>::max_exponent / 8 ? 0 : exponent;
  }

  bool eliminate(const Own& own, std::int64_t column, std::int64_t end) {
    const std::int64_t count = end - column;
    for (std::int64_t i = own.first; i < std::min(own.first + own.count, column); ++i) {
      r(i, column) = own.at(i, column);
      own.at(i, column) = 0;
    }
    if (own.has(column)) {
      for (std::int64_t j = column; j < end; ++j) row_of(column)[j - column] = own.at(column, j);
      own.at(column, column) = 0;
    }
    T* const told = told_by(own.thread, column);
    loops_.products(own.stored, column, end, told);
    told[count] = told[0] < least && has_any(own, column) ? T(1) : T(0);
    barrier_.wait(own.thread);
    T sums[leaf + 1] = {};
    for (int thread = 0; thread < threads_; ++thread)
      for (std::int64_t j = 0; j <= count; ++j) sums[j] += told_by(thread, column)[j];
    for (std::int64_t j = 0; j < count; ++j)
      if (!std::isfinite(sums[j])) return false;
    const bool is_zero = sums[0] < least;
    if (is_zero && sums[count] != 0) return false;  // so little that its square underflows
    return reflect(own, column, end, is_zero, sums);
  }
  static bool has_any(const Own& own, std::int64_t column) {
    const T* const values = own.stored.column(column);
    return std::any_of(values + own.stored.begin, values + own.stored.end,
                       [](T value) { return value != 0; });
  }

  // With the column's norm below the diagonal, squared, and its products with the others.
  bool reflect(const Own& own, std::int64_t column, std::int64_t end, bool is_zero,
               const T* products) {
    const T* const row = row_of(column);
    const T alpha = row[0];
    T beta = alpha, tau = 0, factor = 1;
    if (!is_zero) {
      beta = -std::copysign(std::hypot(alpha, std::sqrt(products[0])), alpha);
      tau = (beta - alpha) / beta;
      factor = T(1) / (alpha - beta);
    }
    T factors[leaf] = {};
    for (std::int64_t j = 1; j < end - column; ++j)
      factors[j] = is_zero ? T(0) : tau * (row[j] + factor * products[j]);
    loops_.reflect(own.stored, column, end, factor, factors);
    if (own.has(column)) {
      own.at(column, column) = 1;
      r(column, column) = beta;
      for (std::int64_t j = column + 1; j < end; ++j) own.at(column, j) -= factors[j - column];
    }
    if (own.thread == 0) taus_[static_cast<std::size_t>(column)] = tau;
    return true;
  }

  // The leaf's reflectors at once, in the columns behind it; and their products with all before.
  void join(const Own& own, std::int64_t first, std::int64_t end) {
    const std::int64_t depth = end - first, width = places_.width;
    loops_.inner(own.stored, first, depth, columns_, inner_of(own.thread), width);
    barrier_.wait(own.thread);
    T* const w = turned_of(own.thread);
    std::copy_n(inner_of(0), depth * width, w);
    for (int thread = 1; thread < threads_; ++thread) {
      const T* const part = inner_of(thread);
      for (std::int64_t i = 0; i < depth * width; ++i) w[i] += part[i];
    }
    if (own.thread == 0)
      for (std::int64_t k = 0; k < depth; ++k)
        std::copy_n(w + k * width, first + k + 1,
                    static_cast<T*>(to_.products) + (first + k) * to_.ld);
    // T' W, row by row from the last one: row k is tau_k (W_k - the rows before, each with the
    // product of the two reflectors): forward, as each reflector would be applied by itself.
    for (std::int64_t k = 0; k < depth; ++k) {
      T* const row = w + k * width;
      for (std::int64_t i = 0; i < k; ++i) {
        const T product = row[first + i];
        const T* const done = w + i * width;
        for (std::int64_t j = end; j < columns_; ++j) row[j] -= product * done[j];
      }
      const T tau = taus_[static_cast<std::size_t>(first + k)];
      for (std::int64_t j = end; j < columns_; ++j) row[j] *= tau;
    }
    if (end < columns_) loops_.update(own.stored, first, depth, columns_, w, width);
  }

  void store(const Own& own) {
    for (std::int64_t j = 0; j < columns_; ++j) {
      const int exponent = scales_[static_cast<std::size_t>(j)];
      T* const column = a_ + j * lda_;
      const std::int64_t last = own.first + own.count;
      for (std::int64_t i = own.first; i < std::min(last, j + 1); ++i)
        column[i] = std::ldexp(r(i, j), exponent);
      const std::int64_t begin = std::clamp(j + 1, own.first, last);
      std::copy_n(own.stored.column(j) + begin - own.first, last - begin, column + begin);
      std::copy_n(own.stored.column(j), own.count,
                  static_cast<T*>(to_.v) + j * to_.ldv + own.first);
    }
    if (own.thread != 0) return;
    std::ranges::copy(taus_, tau_);
    is_done_ = true;
  }

  // Of squares: far from what underflows.
  static constexpr T least = std::numeric_limits<T>::min() / (std::numeric_limits<T>::epsilon() *
                                                              std::numeric_limits<T>::epsilon());

  T* const a_;
  const std::int64_t lda_, rows_, columns_;
  T* const tau_;
  const QrPanel::Reflectors to_;
  const Places places_;
  const int threads_;
  T* const memory_;
  std::vector<int> scales_;
  std::vector<T> taus_;
  ThreadBarrier barrier_;
  const PanelLoops<T>& loops_ = panel_loops<T>();
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
      memory_(panel_memory(panel_elements<Places>(rows, columns, team.size()) *
                           element_size(precision))) {}

bool QrPanel::suits(const LapackProblem& geqrf) const {
  return geqrf.precision == precision_ && !is_complex(precision_) && geqrf.n >= 1 &&
         geqrf.n <= geqrf.m && geqrf.m <= rows_ && geqrf.n <= columns_;
}

bool QrPanel::factorise(const LapackProblem& geqrf, const Reflectors& to) {
  return is_double(precision_) ? duoblas::factorise<double>(geqrf, to, memory_.get(), team_)
                               : duoblas::factorise<float>(geqrf, to, memory_.get(), team_);
}

}  // namespace duoblas
