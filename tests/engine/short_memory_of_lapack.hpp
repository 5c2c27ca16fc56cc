// Makes the allocations of a LAPACK call fail, one by one: its results are right, or there is an
// error and nothing was written.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "engine/failing_allocations.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {

inline Settings lapack_without_checks() {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  settings.cache_dir.clear();
  return settings;
}

template <typename T>
bool are_the_same(const Columns<T>& x, const Columns<T>& y) {
  for (std::int64_t j = 0; j < x.lines(); ++j)
    for (std::int64_t i = 0; i < x.length(); ++i)
      if (x.at(j, i) != y.at(j, i) && !(is_nan(x.at(j, i)) && is_nan(y.at(j, i)))) return false;
  return true;
}

struct LapackMatrix {
  LapackProblem problem;
  std::function<bool()> is_right, is_as_it_was;
};

/// The numbers of the allocations that fail grow by one, and by a `dense`th of them, but by no more
/// than a 24th of all that a call makes: with some kernels few of many lead to a failure.
template <typename Make>
void expect_right_or_nothing(Make&& make, MatrixHome home = MatrixHome::copied, long dense = 3) {
  // With all that calls keep.
  const auto made = [&] {
    auto engine = std::make_unique<Engine>(lapack_without_checks());
    EXPECT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
    EXPECT_TRUE(run(*engine, make().problem, home).outcome.used_gpu);
    return engine;
  };
  auto engine = made();
  long all = 0;
  {
    const LapackMatrix matrix = make();
    const ShortMemory memory(std::numeric_limits<long>::max(), false);
    run(*engine, matrix.problem, home);
    all = memory.seen();
  }
  int recovered = 0;
  bool felt = true;
  for (long number = 1; felt && number < 10000; number += 1 + std::min(number / dense, all / 24)) {
    SCOPED_TRACE(number);
    const LapackMatrix matrix = make();
    bool threw = false;
    std::string why = "nothing was thrown";
    LapackOutcome did;
    {
      const ShortMemory memory(number, false);
      try {
        did = carry_out(*engine, matrix.problem, decide(*engine, matrix.problem, home));
      } catch (const std::exception& error) {
        threw = true;
        why = error.what();
      }
      felt = memory.felt();
    }
    EXPECT_TRUE(threw ? matrix.is_as_it_was() : matrix.is_right()) << why;
    recovered += did.outcome.recovered;
    // What is right in between ends a row of failures. To open a GPU anew takes a third of a
    // second.
    if (did.outcome.recovered && !run(*engine, make().problem, home).outcome.used_gpu)
      engine = made();
  }
  EXPECT_FALSE(felt) << "no end of allocations";
  EXPECT_GT(recovered, 1);
}

}  // namespace duoblas::test
