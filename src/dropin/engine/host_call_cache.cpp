#include "dropin/engine/host_call_cache.hpp"

#include <bit>
#include <cstddef>

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

// A place holds the upper bits of a call's key and the reason: never 0 where a call was left.
constexpr std::uint64_t reason_bits = 0x3f;
static_assert(reason_count <= reason_bits);

// Without the bits of the reason.
std::uint64_t key_of(const duoblas_blas_call& call) {
  std::uint64_t key = 0;
  for (const int choice :
       {call.routine, static_cast<int>(call.precision), call.layout, call.side, call.uplo,
        call.op_a, call.op_b, call.diag, static_cast<int>(is_zero(call.alpha, call.precision)),
        static_cast<int>(is_zero(call.beta, call.precision))})
    key = key * 257 + static_cast<std::uint64_t>(choice);
  for (const std::int64_t extent : {call.m, call.n, call.k})
    key = mixed(key + static_cast<std::uint64_t>(extent));
  return key & ~reason_bits;
}

std::size_t place_of(std::uint64_t key, std::size_t places) {
  return key >> (64 - std::bit_width(places - 1));
}

}  // namespace

std::optional<Reason> HostCallCache::reason_for(const duoblas_blas_call& call) const noexcept {
  const std::uint64_t key = key_of(call);
  const std::uint64_t known = keys_[place_of(key, keys_.size())].load(std::memory_order_relaxed);
  // An empty place has no reason.
  if ((known & reason_bits) == 0 || (known & ~reason_bits) != key) return std::nullopt;
  return static_cast<Reason>((known & reason_bits) - 1);
}

void HostCallCache::remember(const duoblas_blas_call& call, Reason reason) noexcept {
  const std::uint64_t key = key_of(call);
  keys_[place_of(key, keys_.size())].store(key | (static_cast<std::uint64_t>(reason) + 1),
                                           std::memory_order_relaxed);
}

void HostCallCache::forget(const duoblas_blas_call& call) noexcept {
  if (reason_for(call))
    keys_[place_of(key_of(call), keys_.size())].store(0, std::memory_order_relaxed);
}

}  // namespace duoblas
