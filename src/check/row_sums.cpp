#include "check/row_sums.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

// Each loop is compiled for three kinds of x86 processors, and one is chosen when it is first
// needed; elsewhere there is one. (GCC's target_clones would choose while the library is loaded,
// which sanitizers do not survive.)
#if defined(__x86_64__)
#define DUOBLAS_WIDE 1
#define DUOBLAS_AVX2 [[gnu::target("avx2,fma")]]
#define DUOBLAS_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")]]
#endif
#define DUOBLAS_INLINE [[gnu::always_inline]] inline

namespace duoblas {
namespace {

constexpr int lanes = 8;
// Elements that are added to one set of sums before that is added to the total: rounding errors
// grow with the square root of either number only.
constexpr std::int64_t block = 512;

using Doubles [[gnu::vector_size(64), gnu::aligned(8)]] = double;
static_assert(sizeof(Doubles) == lanes * sizeof(double));

template <typename R>
struct Lanes {
  using Bits = std::conditional_t<std::is_same_v<R, float>, std::int32_t, std::int64_t>;
  using Vector [[gnu::vector_size(lanes * sizeof(R)), gnu::aligned(sizeof(R))]] = R;
  using BitVector [[gnu::vector_size(lanes * sizeof(R)), gnu::aligned(sizeof(R))]] = Bits;
  static constexpr Bits without_sign =
      std::is_same_v<R, float> ? Bits(0x7fffffff) : Bits(0x7fffffffffffffff);
};

// By address: vectors that are wider than the processor's are no parameters.
template <typename R>
DUOBLAS_INLINE void load(const R* from, Doubles& to) {
  typename Lanes<R>::Vector narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  to = __builtin_convertvector(narrow, Doubles);
}

DUOBLAS_INLINE void make_magnitude(Doubles& values) {
  using Bits [[gnu::vector_size(64), gnu::aligned(8)]] = std::int64_t;
  Bits bits;
  std::memcpy(&bits, &values, sizeof bits);
  bits &= Lanes<double>::without_sign;
  std::memcpy(&values, &bits, sizeof bits);
}

// The bits of magnitudes are ordered as the magnitudes are, with NaN at the end.
template <typename R>
DUOBLAS_INLINE typename Lanes<R>::Bits magnitude_bits(R value) {
  typename Lanes<R>::Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & Lanes<R>::without_sign;
}

template <typename R>
DUOBLAS_INLINE R value_of(typename Lanes<R>::Bits bits) {
  R value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename R>
DUOBLAS_INLINE void column_maxima(const R* row, std::int64_t count, R* maxima) {
  using BitVector = typename Lanes<R>::BitVector;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    BitVector here, known;
    std::memcpy(&here, row + i, sizeof here);
    std::memcpy(&known, maxima + i, sizeof known);
    here &= Lanes<R>::without_sign;
    known = here > known ? here : known;
    std::memcpy(maxima + i, &known, sizeof known);
  }
  for (; i < count; ++i)
    maxima[i] = value_of<R>(std::max(magnitude_bits(row[i]), magnitude_bits(maxima[i])));
}

template <typename R>
DUOBLAS_INLINE R maximum(const R* row, std::int64_t count) {
  using BitVector = typename Lanes<R>::BitVector;
  BitVector largest = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    BitVector here;
    std::memcpy(&here, row + i, sizeof here);
    here &= Lanes<R>::without_sign;
    largest = here > largest ? here : largest;
  }
  typename Lanes<R>::Bits of_all = 0;
  for (int lane = 0; lane < lanes; ++lane) of_all = std::max(of_all, largest[lane]);
  for (; i < count; ++i) of_all = std::max(of_all, magnitude_bits(row[i]));
  return value_of<R>(of_all);
}

template <bool with_magnitude, typename R>
DUOBLAS_INLINE RowSum dot(const R* row, const double* weights, const double* magnitudes,
                          std::int64_t count) {
  Doubles total = {}, total_magnitude = {};
  std::int64_t i = 0;
  while (i + 2 * lanes <= count) {
    Doubles sums[2] = {}, of_magnitudes[2] = {};
    const std::int64_t end = std::min(count, i + block);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      for (int half = 0; half < 2; ++half) {
        Doubles values, weight;
        load(row + i + half * lanes, values);
        load(weights + i + half * lanes, weight);
        sums[half] += values * weight;
        if constexpr (with_magnitude) {
          Doubles magnitude;
          load(magnitudes + i + half * lanes, magnitude);
          make_magnitude(values);
          of_magnitudes[half] += values * magnitude;
        }
      }
    }
    total += sums[0] + sums[1];
    total_magnitude += of_magnitudes[0] + of_magnitudes[1];
  }
  RowSum sum;
  for (; i < count; ++i) {
    sum.places[i % 4] += static_cast<double>(row[i]) * weights[i];
    if constexpr (with_magnitude)
      sum.magnitude += static_cast<double>(row[i] < 0 ? -row[i] : row[i]) * magnitudes[i];
  }
  for (int lane = 0; lane < lanes; ++lane) {
    sum.places[lane % 4] += total[lane];
    sum.magnitude += total_magnitude[lane];
  }
  return sum;
}

template <typename R>
DUOBLAS_INLINE TwoRowSums two_dots(const R* row, const double* first, const double* second,
                                   const double* magnitudes, std::int64_t count) {
  Doubles totals[2] = {}, total_magnitude = {};
  std::int64_t i = 0;
  while (i + lanes <= count) {
    Doubles sums[2] = {}, of_magnitudes = {};
    const std::int64_t end = std::min(count, i + block / 2);
    for (; i + lanes <= end; i += lanes) {
      Doubles values, weight;
      load(row + i, values);
      load(first + i, weight);
      sums[0] += values * weight;
      load(second + i, weight);
      sums[1] += values * weight;
      load(magnitudes + i, weight);
      make_magnitude(values);
      of_magnitudes += values * weight;
    }
    totals[0] += sums[0];
    totals[1] += sums[1];
    total_magnitude += of_magnitudes;
  }
  TwoRowSums sum;
  for (; i < count; ++i) {
    const auto value = static_cast<double>(row[i]);
    sum.first += value * first[i];
    sum.second += value * second[i];
    sum.magnitude += (value < 0 ? -value : value) * magnitudes[i];
  }
  for (int lane = 0; lane < lanes; ++lane) {
    sum.first += totals[0][lane];
    sum.second += totals[1][lane];
    sum.magnitude += total_magnitude[lane];
  }
  return sum;
}

template <typename R>
DUOBLAS_INLINE void add_rows(const R* const* rows, const double* weights, const double* magnitudes,
                             std::int64_t count, double* sums, double* sums_of_magnitudes) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Doubles sum, of_magnitudes;
    load(sums + i, sum);
    load(sums_of_magnitudes + i, of_magnitudes);
    for (int r = 0; r < rows_added_at_once; ++r) {
      Doubles values;
      load(rows[r] + i, values);
      sum += values * weights[r];
      make_magnitude(values);
      of_magnitudes += values * magnitudes[r];
    }
    std::memcpy(sums + i, &sum, sizeof sum);
    std::memcpy(sums_of_magnitudes + i, &of_magnitudes, sizeof of_magnitudes);
  }
  for (; i < count; ++i) {
    for (int r = 0; r < rows_added_at_once; ++r) {
      const auto value = static_cast<double>(rows[r][i]);
      sums[i] += value * weights[r];
      sums_of_magnitudes[i] += (value < 0 ? -value : value) * magnitudes[r];
    }
  }
}

// The same loops, compiled with the options that ATTRIBUTES name.
#define DUOBLAS_ROW_SUMS(NAME, ATTRIBUTES)                                                         \
  template <typename R>                                                                            \
  struct NAME {                                                                                    \
    ATTRIBUTES static void column_maxima_of(const R* row, std::int64_t count, R* maxima) {         \
      column_maxima(row, count, maxima);                                                           \
    }                                                                                              \
    ATTRIBUTES static R maximum_of(const R* row, std::int64_t count) {                             \
      return maximum(row, count);                                                                  \
    }                                                                                              \
    ATTRIBUTES static RowSum dot_of(const R* row, const double* weights, std::int64_t count) {     \
      return dot<false>(row, weights, nullptr, count);                                             \
    }                                                                                              \
    ATTRIBUTES static RowSum dot_and_magnitude_of(const R* row, const double* weights,             \
                                                  const double* magnitudes, std::int64_t count) {  \
      return dot<true>(row, weights, magnitudes, count);                                           \
    }                                                                                              \
    ATTRIBUTES static TwoRowSums two_dots_of(const R* row, const double* first,                    \
                                             const double* second, const double* magnitudes,       \
                                             std::int64_t count) {                                 \
      return two_dots(row, first, second, magnitudes, count);                                      \
    }                                                                                              \
    ATTRIBUTES static void add_rows_of(const R* const* rows, const double* weights,                \
                                       const double* magnitudes, std::int64_t count, double* sums, \
                                       double* sums_of_magnitudes) {                               \
      add_rows(rows, weights, magnitudes, count, sums, sums_of_magnitudes);                        \
    }                                                                                              \
    static constexpr RowSums<R> all = {column_maxima_of,     maximum_of,  dot_of,                  \
                                       dot_and_magnitude_of, two_dots_of, add_rows_of};            \
  }

DUOBLAS_ROW_SUMS(Plain, );
#if defined(DUOBLAS_WIDE)
DUOBLAS_ROW_SUMS(Avx2, DUOBLAS_AVX2);
DUOBLAS_ROW_SUMS(Avx512, DUOBLAS_AVX512);
#endif

}  // namespace

template <typename R>
const RowSums<R>& row_sums() {
#if defined(DUOBLAS_WIDE)
  static const RowSums<R>& chosen =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl")
          ? Avx512<R>::all
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Avx2<R>::all
                                                                        : Plain<R>::all;
  return chosen;
#else
  return Plain<R>::all;
#endif
}

template const RowSums<float>& row_sums<float>();
template const RowSums<double>& row_sums<double>();

}  // namespace duoblas
