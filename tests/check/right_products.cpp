// right_products [--calls N] [--seed S]: checks N products that are right, of numbers of every
// kind: ordinary and positive ones, extreme exponents, sums that cancel, subnormal numbers,
// infinities and NaN. Exit code 1: one was called wrong.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "check/checked_product.hpp"

namespace duoblas::test {
namespace {

struct Counts {
  long calls = 0, suspected = 0, called_wrong = 0;
};

enum Kind { ordinary, positive, extreme, cancelling, subnormal, special, kinds };
constexpr const char* names[kinds] = {"ordinary",   "positive",  "extreme exponents",
                                      "cancelling", "subnormal", "infinities and NaN"};

template <typename T>
T drawn(Kind kind, std::mt19937_64& random) {
  using R = Real<T>;
  constexpr int largest = std::numeric_limits<R>::max_exponent / 2 - 8;
  constexpr R smallest = std::numeric_limits<R>::min();
  T value = random_value<T>(random);
  switch (kind) {
    case positive: return T(std::abs(value));
    case extreme:
      return value * std::ldexp(R(1), static_cast<int>(random() % (2 * largest)) - largest);
    case cancelling: return T(random() % 2 == 0 ? R(1) : R(-1)) * std::ldexp(R(1), 20) + value;
    case subnormal: return value * smallest;
    case special:
      if (random() % 40 == 0)
        return random() % 2 == 0 ? nan_value<T>() : T(std::numeric_limits<R>::infinity());
      return value;
    default: return value;
  }
}

template <typename T>
void check_one(std::uint64_t seed, Counts (&counts)[kinds]) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  const auto op = [&] {
    constexpr Op all[] = {Op::none, Op::transpose, Op::conj_transpose};
    return all[below(is_complex_type<T> ? 3 : 2)];
  };
  const auto kind = static_cast<Kind>(below(kinds));
  const Op op_a = op(), op_b = op();
  CheckedProduct<T> product(1 + below(24), 1 + below(60), 1 + below(40), op_a, op_b,
                            below(2) == 0 ? 1.0 : -1.5, below(2) == 0 ? 0.0 : 0.75, seed);
  for (auto* matrix : {&product.a, &product.b, &product.c})
    for (T& value : *matrix) value = drawn<T>(kind, random);
  const CheckVerdict verdict = product.check([] {}, seed);
  Counts& count = counts[kind];
  ++count.calls;
  if (verdict.suspected_rows > 0) ++count.suspected;
  if (!verdict.wrong) return;
  ++count.called_wrong;
  std::printf("called wrong: seed %llu, type %c, %s\n", static_cast<unsigned long long>(seed),
              letter(precision_of<T>), names[kind]);
}

int run(long calls, std::uint64_t seed) {
  Counts counts[kinds] = {};
  for (long call = 0; call < calls; ++call, ++seed) {
    switch (call % 4) {
      case 0: check_one<float>(seed, counts); break;
      case 1: check_one<double>(seed, counts); break;
      case 2: check_one<std::complex<float>>(seed, counts); break;
      default: check_one<std::complex<double>>(seed, counts); break;
    }
  }
  long called_wrong = 0;
  std::printf("%-20s %10s %10s %10s\n", "numbers", "products", "suspected", "called wrong");
  for (int kind = 0; kind < kinds; ++kind) {
    const Counts& count = counts[kind];
    std::printf("%-20s %10ld %10ld %10ld\n", names[kind], count.calls, count.suspected,
                count.called_wrong);
    called_wrong += count.called_wrong;
  }
  return called_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace duoblas::test

int main(int argc, char** argv) {
  long calls = 4000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--calls") calls = std::atol(argv[i + 1]);
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return duoblas::test::run(calls, seed);
}
