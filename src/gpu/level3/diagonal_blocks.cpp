#include "gpu/level3/diagonal_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <new>

#include "cpu/triangle_inverse.hpp"
#include "memory/copy_threads.hpp"
#include "problem/element_types.hpp"
#include "problem/precision.hpp"
#include "problem/rounding.hpp"
#include "problem/triangle_rows.hpp"

namespace duoblas {
namespace {

template <typename T>
T conjugate(T x) {
  return x;
}
template <typename T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}
template <typename T>
T real_part(T x) {
  return x;
}
template <typename T>
std::complex<T> real_part(std::complex<T> x) {
  return x.real();
}

template <typename T>
const T* block_at(const void* matrix, std::int64_t ld, Interval lines) {
  return static_cast<const T*>(matrix) + lines.first * ld + lines.first;
}

/// Calls `body` for the lines [begin, end) in pieces of so many.
template <typename Body>
void in_pieces(CopyThreads* threads, std::int64_t lines, std::int64_t of_a_piece, Body&& body) {
  if (threads == nullptr) return body(std::int64_t{0}, lines);
  threads->share(static_cast<std::size_t>(parts(lines, of_a_piece)), [&](std::size_t piece) {
    const std::int64_t begin = static_cast<std::int64_t>(piece) * of_a_piece;
    body(begin, std::min(lines, begin + of_a_piece));
  });
}

constexpr std::int64_t lines_of_a_piece = 32;

template <typename T>
T* sized(DenseBlock& block, std::int64_t rows, std::int64_t columns) {
  block.resize(static_cast<std::size_t>(rows * columns) * sizeof(T));
  return reinterpret_cast<T*>(block.data());
}

// Copies a strip of rows, and its columns above, in tiles, so that destinations of column-by-column
// writes stay in the cache.
constexpr std::int64_t tile = 16;
template <typename T>
void mirror(T* block, std::int64_t size, std::int64_t top, Uplo stored, bool conjugates) {
  for (std::int64_t left = 0; left <= top; left += tile)
    for (std::int64_t i = top; i < std::min(top + tile, size); ++i)
      for (std::int64_t j = left; j < std::min({left + tile, i, size}); ++j) {
        T& below = block[i * size + j];
        T& above = block[j * size + i];
        const T value = stored == Uplo::lower ? below : above;
        (stored == Uplo::lower ? above : below) = conjugates ? conjugate(value) : value;
      }
}

/// The largest number that any thread saw; NaN counts as infinite.
class LargestOfThreads {
 public:
  void see(double number) {
    if (std::isnan(number)) number = std::numeric_limits<double>::infinity();
    double before = largest_.load(std::memory_order_relaxed);
    while (number > before &&
           !largest_.compare_exchange_weak(before, number, std::memory_order_relaxed))
      continue;
  }
  double largest() const { return largest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> largest_ = 0;
};

}  // namespace

void complete_a(const Level3Problem& p, Interval lines, DenseBlock& block, CopyThreads* threads) {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t size = lines.count;
    const T* const a = block_at<T>(p.a, p.lda, lines);
    T* const whole = sized<T>(block, size, size);
    const bool unit = is_in_place(p.routine) && p.diag == Diag::unit;
    in_pieces(threads, size, lines_of_a_piece, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t i = first; i < end; ++i) {
        T* const row = whole + i * size;
        copy_stored(a + i * p.lda, p.uplo, i, size, row);
        if (unit) row[i] = T(1);
        if (is_hermitian(p.routine)) row[i] = real_part(row[i]);
      }
    });
    if (is_in_place(p.routine)) return;
    in_pieces(threads, size, tile, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t top = first; top < end; top += tile)
        mirror(whole, size, top, p.uplo, is_hermitian(p.routine));
    });
  });
}

void copy_triangle_of_c(const Level3Problem& p, Interval lines, DenseBlock& block,
                        CopyThreads* threads) {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    const T* const c = block_at<T>(p.c, p.ldc, lines);
    T* const whole = sized<T>(block, lines.count, lines.count);
    in_pieces(threads, lines.count, lines_of_a_piece, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t i = first; i < end; ++i) {
        T* const row = whole + i * lines.count;
        copy_stored(c + i * p.ldc, p.uplo, i, lines.count, row);
        if (is_hermitian(p.routine)) row[i] = real_part(row[i]);
      }
    });
  });
}

void store_triangle_of_c(const Level3Problem& p, Interval lines, Interval rows,
                         const DenseBlock& block, CopyThreads* threads) noexcept {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const c = const_cast<T*>(block_at<T>(p.c, p.ldc, lines));
    const T* const whole = reinterpret_cast<const T*>(block.data());
    const std::int64_t first = rows.first - lines.first;
    in_pieces(threads, rows.count, lines_of_a_piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = first + begin; i < first + end; ++i) {
        const StoredColumns stored = stored_of(p.uplo, i, lines.count);
        const T* const row = whole + i * lines.count;
        std::copy(row + stored.begin, row + stored.end, c + i * p.ldc + stored.begin);
        if (is_hermitian(p.routine)) c[i * p.ldc + i] = real_part(row[i]);
      }
    });
  });
}

double invert_leaves(const Level3Problem& p, Interval lines, std::int64_t leaf,
                     DenseBlock& inverses, CopyThreads* threads) {
  inverses.resize(static_cast<std::size_t>(lines.count * leaf) * element_size(p.precision));
  return invert_leaves(p, lines, leaf, inverses.data(), threads);
}

double invert_leaves(const Level3Problem& p, Interval lines, std::int64_t leaf, void* inverses,
                     CopyThreads* threads) {
  const auto row_bytes = static_cast<std::size_t>(leaf) * element_size(p.precision);
  LargestOfThreads worst;
  // The copy threads must not throw.
  std::atomic<bool> is_out_of_memory = false;
  in_pieces(threads, lines.count, leaf, [&](std::int64_t first, std::int64_t end) {
    for (; first < end; first += leaf) {
      const Interval block{lines.first + first, std::min(leaf, end - first)};
      const auto condition = invert_triangle(
          p, block, static_cast<std::byte*>(inverses) + static_cast<std::size_t>(first) * row_bytes,
          leaf);
      if (condition)
        worst.see(*condition);
      else
        is_out_of_memory = true;
    }
  });
  if (is_out_of_memory) throw std::bad_alloc();
  return worst.largest();
}

std::vector<double> copy_leaves(const Level3Problem& p, Interval lines, std::int64_t leaf,
                                void* leaves, CopyThreads* threads) {
  const std::size_t leaf_bytes = static_cast<std::size_t>(leaf * leaf) * element_size(p.precision);
  std::vector<double> row_sums(static_cast<std::size_t>(parts(lines.count, leaf)));
  in_pieces(threads, lines.count, leaf, [&](std::int64_t first, std::int64_t end) {
    for (; first < end; first += leaf) {
      const auto number = static_cast<std::size_t>(first / leaf);
      row_sums[number] = copy_leaf(p, {lines.first + first, std::min(leaf, end - first)},
                                   static_cast<std::byte*>(leaves) + number * leaf_bytes, leaf);
    }
  });
  return row_sums;
}

}  // namespace duoblas
