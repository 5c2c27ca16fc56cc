// Threads' bands of a QR panel, and the products of its reflectors: what factorising a panel and
// gathering one that is factorised have in common (qr_panel.hpp).
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>

#include "cpu/panel_bands.hpp"
#include "cpu/qr_panel.hpp"
#include "cpu/thread_team.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// The real parts of a complex column are one column of the band, and the imaginary ones the next:
// so all loops are those of real numbers.
template <typename T>
constexpr std::int64_t parts = is_real<T> ? 1 : 2;

// Where in a panel's memory things are. Sizes are in real numbers.
template <typename T>
struct Places : PanelBands {
  Places(std::int64_t rows, std::int64_t columns, int threads)
      : PanelBands(rows, parts<T> * columns, threads),
        inner(parts<T> * inner_width * width),
        turned(inner),
        told((parts<T> * parts<T> + 1) * inner_width) {}

  std::int64_t of_thread() const { return band + inner + turned + 2 * told; }
  std::int64_t all(int threads) const {
    return threads * of_thread() + width * width + 2 * parts<T> * inner_width;
  }

  std::int64_t inner, turned, told;  ///< sizes
};

// Plain: std::complex's own product also repairs infinities, and there are none here.
template <typename T>
T times(T x, T y) {
  if constexpr (parts<T> == 1)
    return x * y;
  else
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

template <typename T>
class QrBands {
 protected:
  using Real = PartOf<T>;
  static constexpr std::int64_t parts = duoblas::parts<T>;

 public:
  QrBands(const LapackProblem& p, const QrPanel::Reflectors& to, const PanelSource& from,
          void* memory, int threads)
      : from_(from.columns != nullptr ? static_cast<const T*>(from.columns) + from.rows_above
                                      : static_cast<const T*>(p.a)),
        ld_from_(from.columns != nullptr ? from.ld : p.lda),
        rows_(p.m),
        columns_(p.n),
        to_(to),
        places_(p.m, p.n, threads),
        threads_(places_.count),
        barrier_(threads_),
        memory_(static_cast<Real*>(memory)) {}

  int threads() const { return threads_; }

  void gather(int thread) {
    Own own(places_, rows_, thread, memory_of(thread));
    own.fetch(from_, ld_from_, columns_);
    for (std::int64_t j = 0; j < columns_; ++j) {
      for (std::int64_t i = own.first; i < std::min(own.first + own.count, j); ++i)
        set(own, i, j, 0);
      if (own.has(j)) set(own, j, j, 1);
      store_reflector(own, j);
    }
    for (std::int64_t first = 0; first < columns_; first += inner_width) {
      const std::int64_t end = std::min(first + inner_width, columns_);
      own.shrink(first);
      multiply_inner(own, first, end);
      for (std::int64_t k = thread; k < end - first; k += threads_) {
        add_rows_up(own, parts * k, parts);
        tell_products(own, first, k);
      }
      barrier_.wait(thread);  // what was told was read
    }
  }

 protected:
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
    return elements(common() + places_.width * places_.width + (column % 2) * parts * inner_width);
  }

  // Products of the inner panel's reflectors with all columns: each thread has those of its rows.
  void multiply_inner(const Own& own, std::int64_t first, std::int64_t end) {
    loops_.inner(own.stored, parts * first, parts * (end - first), parts * columns_,
                 inner_of(own.thread), places_.width);
    barrier_.wait(own.thread);
  }
  // Some rows of these, of all threads.
  void add_rows_up(const Own& own, std::int64_t first, std::int64_t count) const {
    const std::int64_t begin = first * places_.width, size = count * places_.width;
    Real* const w = turned_of(own.thread) + begin;
    std::copy_n(inner_of(0) + begin, size, w);
    for (int thread = 1; thread < threads_; ++thread) {
      const Real* const part = inner_of(thread) + begin;
      for (std::int64_t i = 0; i < size; ++i) w[i] += part[i];
    }
    if constexpr (parts == 2)
      for (std::int64_t k = 0; k < count; k += 2) take_products_together(w + k * places_.width);
  }
  T* row_of_products(const Own& own, std::int64_t k) const {
    return elements(turned_of(own.thread) + parts * k * places_.width);
  }
  void tell_products(const Own& own, std::int64_t first, std::int64_t k) const {
    const T* const row = row_of_products(own, k);
    std::transform(row, row + first + k + 1, static_cast<T*>(to_.products) + (first + k) * to_.ld,
                   conjugate<T>);
  }

  void store_reflector(const Own& own, std::int64_t j) const {
    T* const v = static_cast<T*>(to_.v) + j * to_.ldv;
    for (std::int64_t i = own.first; i < own.first + own.count; ++i) v[i] = get(own, i, j);
  }

  const T* const from_;
  const std::int64_t ld_from_, rows_, columns_;
  const QrPanel::Reflectors to_;
  const Places<T> places_;
  const int threads_;
  ThreadBarrier barrier_;
  const PanelLoops<Real>& loops_ = panel_loops<Real>();

 private:
  // Makes complex products, in the first row, of a reflector's parts with those of each column.
  void take_products_together(Real* of_re) const {
    const Real* const of_im = of_re + places_.width;
    for (std::int64_t j = 0; j < 2 * columns_; j += 2) {
      of_re[j] += of_im[j + 1];
      of_re[j + 1] -= of_im[j];
    }
  }

  Real* const memory_;
};

}  // namespace
}  // namespace duoblas
