// Chains of multiply-adds for the processor that the including file is compiled for. No name here
// is visible outside of that file, as in src/check/row_sums_loops.hpp.
#pragma once

#include <cstdint>

namespace duoblas {

/// Chains of multiply-adds; `flops` of each turn.
template <typename R>
struct MultiplyAdds {
  R (*run)(std::int64_t turns, R factor, R summand);
  double flops;
};

template <typename R>
const MultiplyAdds<R>& multiply_adds_for_avx2();
template <typename R>
const MultiplyAdds<R>& multiply_adds_for_avx512();

namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// Two units with a latency of 4 or 5 cycles need 8 to 10 chains. 12, with factor and summand, fit
// 16 registers.
template <typename R>
R run_chains(std::int64_t turns, R factor, R summand) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(R));
  using Vector [[gnu::vector_size(vector_bytes)]] = R;
  const Vector f = factor - Vector{}, s = summand - Vector{};
  Vector a = s, b = s + 1, c = s + 2, d = s + 3, e = s + 4, g = s + 5, h = s + 6, i = s + 7,
         j = s + 8, k = s + 9, l = s + 10, m = s + 11;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    a = a * f + s;
    b = b * f + s;
    c = c * f + s;
    d = d * f + s;
    e = e * f + s;
    g = g * f + s;
    h = h * f + s;
    i = i * f + s;
    j = j * f + s;
    k = k * f + s;
    l = l * f + s;
    m = m * f + s;
  }
  const Vector sum = (a + b + c + d) + (e + g + h + i) + (j + k + l + m);
  R total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
  return total;
}

constexpr int chains = 12;

template <typename R>
constexpr MultiplyAdds<R> multiply_adds = {
    &run_chains<R>, 2.0 * chains* vector_bytes / static_cast<double>(sizeof(R))};

}  // namespace
}  // namespace duoblas
