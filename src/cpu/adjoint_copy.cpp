#include "cpu/adjoint_copy.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cpu/workers.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// A tile of B, with the lines of A that it comes from, fits the first-level cache twice: 64
// elements of 4 bytes a side, 32 of more. The lines of A are then of 256 bytes, which a prefetcher
// follows.
template <typename E>
constexpr std::int64_t tile_side = sizeof(E) == 4 ? 64 : 32;
// From this size on B is not expected to stay in a cache. Its lines are then written past the
// cache, which saves reading them first. One core of an AMD EPYC, float32, n = 2048 and 4096: 17
// and 14 GB/s; with ordinary stores 6 and 8.
constexpr std::int64_t past_caches_bytes = 8 << 20;
// The least size that is worth several threads.
constexpr std::int64_t least_shared_bytes = 1 << 20;

// Transposes blocks of 16 bytes a side in registers. There are none for elements of 16 bytes.
template <typename E>
using Block [[gnu::vector_size(16)]] = std::conditional_t<sizeof(E) == 4, float, double>;

template <typename E>
void transpose_block(const E* a, std::int64_t lda, E* tile) {
  constexpr std::int64_t side = tile_side<E>;
  if constexpr (sizeof(E) == 4) {
    Block<E> v[4];
    for (int j = 0; j < 4; ++j) std::memcpy(&v[j], a + j * lda, 16);
    const Block<E> low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const Block<E> high = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Block<E> low2 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const Block<E> high2 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    const Block<E> turned[4] = {__builtin_shufflevector(low, low2, 0, 1, 4, 5),
                                __builtin_shufflevector(low, low2, 2, 3, 6, 7),
                                __builtin_shufflevector(high, high2, 0, 1, 4, 5),
                                __builtin_shufflevector(high, high2, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) std::memcpy(tile + i * side, &turned[i], 16);
  } else if constexpr (sizeof(E) == 8) {
    Block<E> v[2];
    for (int j = 0; j < 2; ++j) std::memcpy(&v[j], a + j * lda, 16);
    const Block<E> turned[2] = {__builtin_shufflevector(v[0], v[1], 0, 2),
                                __builtin_shufflevector(v[0], v[1], 1, 3)};
    for (int i = 0; i < 2; ++i) std::memcpy(static_cast<void*>(tile + i * side), &turned[i], 16);
  } else {
    *tile = *a;
  }
}

// tile[i][j] = a[j][i] for `rows` x `columns` elements.
template <typename E>
void transpose_tile(const E* a, std::int64_t lda, std::int64_t rows, std::int64_t columns,
                    E* tile) {
  constexpr std::int64_t side = tile_side<E>, block = sizeof(E) < 16 ? 16 / sizeof(E) : 1;
  const std::int64_t whole_rows = rows / block * block, whole_columns = columns / block * block;
  for (std::int64_t j = 0; j < whole_columns; j += block)
    for (std::int64_t i = 0; i < whole_rows; i += block)
      transpose_block(a + j * lda + i, lda, tile + i * side + j);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      tile[i * side + j] = a[j * lda + i];
}

// Copies `bytes` between two multiples of 16 bytes.
void store_past_caches(void* to, const void* from, std::int64_t bytes) {
#if defined(__SSE2__)
  for (std::int64_t at = 0; at < bytes; at += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i*>(static_cast<char*>(to) + at),
        _mm_load_si128(reinterpret_cast<const __m128i*>(static_cast<const char*>(from) + at)));
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

// Makes these stores visible to other threads before they see that the copy has ended.
void end_of_stores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

constexpr std::int64_t cache_line = 64;

// Whole lines only: half of one costs more than it saves.
template <typename E>
bool goes_past_caches(const AdjointCopy& p) {
  return 2 * p.rows * p.columns * static_cast<std::int64_t>(sizeof(E)) >= past_caches_bytes &&
         reinterpret_cast<std::uintptr_t>(p.b) % sizeof(E) == 0 &&
         p.ldb * static_cast<std::int64_t>(sizeof(E)) % cache_line == 0;
}

// Elements from the start of B's rows to the next cache line.
template <typename E>
std::int64_t elements_to_line(const AdjointCopy& p) {
  const auto over = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p.b) % cache_line);
  return over == 0 ? 0 : (cache_line - over) / static_cast<std::int64_t>(sizeof(E));
}

template <typename E>
void copy_rows(const AdjointCopy& p, std::int64_t begin, std::int64_t end, bool past_caches) {
  constexpr std::int64_t side = tile_side<E>;
  constexpr auto element = static_cast<std::int64_t>(sizeof(E));
  const E* const a = static_cast<const E*>(p.a);
  E* const b = static_cast<E*>(p.b);
  alignas(64) E tile[side * side];
  const std::int64_t first = past_caches ? elements_to_line<E>(p) : 0;
  for (std::int64_t row = begin; row < end; row += side) {
    std::int64_t columns = 0;
    for (std::int64_t column = 0; column < p.columns; column += columns) {
      const std::int64_t rows = std::min(side, end - row);
      columns = std::min(column == 0 && first > 0 ? first : side, p.columns - column);
      transpose_tile(a + column * p.lda + row, p.lda, rows, columns, tile);
      for (std::int64_t i = 0; i < rows; ++i) {
        E* const line = tile + i * side;
        E* const to = b + (row + i) * p.ldb + column;
        if constexpr (!std::is_arithmetic_v<E>)
          for (std::int64_t j = 0; j < columns; ++j) line[j] = std::conj(line[j]);
        if (past_caches && columns == side)
          store_past_caches(to, line, side * element);
        else
          std::copy_n(line, columns, to);
      }
    }
  }
  end_of_stores();
}

template <typename E>
void run(const AdjointCopy& p, int threads) {
  constexpr std::int64_t side = tile_side<E>;
  const std::int64_t units = parts(p.rows, side);
  const bool past_caches = goes_past_caches<E>(p);
  const auto of_units = [&](std::int64_t begin, std::int64_t end) {
    copy_rows<E>(p, begin * side, std::min(end * side, p.rows), past_caches);
  };
  if (p.rows * p.columns * static_cast<std::int64_t>(sizeof(E)) < least_shared_bytes)
    of_units(0, units);
  else
    parallel_for(units, std::cref(of_units), threads);
}

}  // namespace

void copy_adjoint(const AdjointCopy& p, int threads) {
  if (p.rows == 0 || p.columns == 0) return;
  with_element_type(p.precision, [&](auto zero) { run<decltype(zero)>(p, threads); });
}

}  // namespace duoblas
