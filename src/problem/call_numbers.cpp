#include "problem/call_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "problem/precision.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

using Call = duoblas_blas_call;

constexpr int Call::*letters[] = {&Call::routine, &Call::layout, &Call::side, &Call::uplo,
                                  &Call::op_a,    &Call::op_b,   &Call::diag};
constexpr std::int64_t Call::*extents[] = {&Call::m,   &Call::n,   &Call::k,
                                           &Call::lda, &Call::ldb, &Call::ldc};

bool reads_c(const Call& call) {
  if (call.routine == DUOBLAS_GEMM) return !gemm_problem(call).overwrites_c();
  return call.routine < DUOBLAS_GEMV && reads_c(caller_level3(call).args);
}

}  // namespace

CallNumbers call_numbers(const Call& call) {
  CallNumbers numbers;
  auto next = numbers.begin();
  *next++ = call.precision;
  *next++ = reads_c(call) ? 1 : 0;
  for (const auto letter : letters) *next++ = call.*letter;
  for (const auto extent : extents) *next++ = static_cast<double>(call.*extent);
  return numbers;
}

std::optional<Call> call_of(const CallNumbers& numbers) {
  alignas(64) static constexpr double doubles[] = {0, 0, 1, 0};
  static constexpr float floats[] = {0, 0, 1, 0};
  const auto is_known = [](double number) {
    return number >= 0 && number <= std::numeric_limits<int>::max();
  };
  if (!std::ranges::all_of(numbers, is_known)) return std::nullopt;
  Call call = {};
  auto next = numbers.begin();
  call.precision = static_cast<char>(static_cast<int>(*next++));
  const auto precision = static_cast<Precision>(call.precision);
  const int of_beta = *next++ != 0 ? 2 : 0;
  for (const auto letter : letters) call.*letter = static_cast<int>(*next++);
  for (const auto extent : extents) call.*extent = static_cast<std::int64_t>(*next++);
  if (call.routine >= DUOBLAS_ROUTINES || call.routine == DUOBLAS_GEMV ||
      std::ranges::count(all_precisions, precision) == 0)
    return std::nullopt;
  call.a = call.b = doubles;
  call.c = const_cast<double*>(doubles);
  if (is_double(precision)) {
    call.alpha = &doubles[2];
    call.beta = &doubles[of_beta];
  } else {
    call.alpha = &floats[2];
    call.beta = &floats[of_beta];
  }
  return call;
}

}  // namespace duoblas
