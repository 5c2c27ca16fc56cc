// Chains of multiply-adds for the processor that the including file is compiled for. No name here
// is visible outside of that file, as in src/check/row_sums_loops.hpp.
#pragma once

#include <cstdint>
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

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

#if defined(__aarch64__)
// The instruction adds to the register that holds the sum: value * factor + summand would take a
// copy of the summand each time.
inline float32x4_t fused(float32x4_t sum, float32x4_t factor, float32x4_t value) {
  return vfmaq_f32(sum, factor, value);
}
inline float64x2_t fused(float64x2_t sum, float64x2_t factor, float64x2_t value) {
  return vfmaq_f64(sum, factor, value);
}
#endif

// Two units with a latency of 4 or 5 cycles need 8 to 10 chains. 12, with factor and summand, fit
// 16 registers. Arm has 32, and its large cores four units or more.
#if defined(__aarch64__)
constexpr int chains = 24;
#else
constexpr int chains = 12;
#endif

template <typename R>
R run_chains(std::int64_t turns, R factor, R summand) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(R));
  using Vector [[gnu::vector_size(vector_bytes)]] = R;
  const Vector f = factor - Vector{}, s = summand - Vector{};
  Vector values[chains];
#pragma GCC unroll 24
  for (int i = 0; i < chains; ++i) values[i] = s + static_cast<R>(i);
  for (std::int64_t turn = 0; turn < turns; ++turn)
#pragma GCC unroll 24
    for (int i = 0; i < chains; ++i)
#if defined(__aarch64__)
      values[i] = fused(values[i], f, s);
#else
      values[i] = values[i] * f + s;
#endif
  Vector sum = values[0];
#pragma GCC unroll 24
  for (int i = 1; i < chains; ++i) sum += values[i];
  R total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
  return total;
}

template <typename R>
constexpr MultiplyAdds<R> multiply_adds = {
    &run_chains<R>, 2.0 * chains* vector_bytes / static_cast<double>(sizeof(R))};

}  // namespace
}  // namespace duoblas
