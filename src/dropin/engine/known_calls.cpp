#include "dropin/engine/known_calls.hpp"

namespace duoblas {
namespace {

// Looks at the real part of complex scalars alone, since some routines' scalars are real ones: an
// imaginary one is taken for zero, and then left to the program, which does it right.
bool is_zero(const void* scalar, char precision) {
  if (scalar == nullptr) return true;
  const bool is_single = precision == 's' || precision == 'c';
  return is_single ? *static_cast<const float*>(scalar) == 0
                   : *static_cast<const double*>(scalar) == 0;
}

// The finisher of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
// OOPSLA 2014): every bit of the word changes half of the bits of the result.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

}  // namespace

std::uint64_t call_key(const duoblas_blas_call& call) noexcept {
  std::uint64_t key = 0;
  for (const int choice :
       {call.routine, static_cast<int>(call.precision), call.layout, call.side, call.uplo,
        call.op_a, call.op_b, call.diag, static_cast<int>(is_zero(call.alpha, call.precision)),
        static_cast<int>(is_zero(call.beta, call.precision))})
    key = key * 257 + static_cast<std::uint64_t>(choice);
  for (const std::int64_t extent : {call.m, call.n, call.k})
    key = mixed(key + static_cast<std::uint64_t>(extent));
  return key;
}

unsigned untold_calls(std::uint64_t key) noexcept {
  const auto [reason, times] = left_calls.used(key, key);
  if (reason == nullptr || *reason != Reason::kernels_not_missed) return 0;
  left_calls.forget(key, key);
  return times;
}

}  // namespace duoblas
