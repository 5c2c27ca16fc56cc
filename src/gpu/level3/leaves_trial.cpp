// Leaves of a small triangle, whose inverses a device computes and the host too, for a trial before
// anybody uses the program.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cpu/triangle_inverse.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "gpu/level3/leaf_inverses.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t leaves = 3, before = 3, gap = 5;

template <typename T>
struct LeavesTrial {
  LeavesTrial(const Level3Problem& like, std::int64_t lines, std::uint64_t seed)
      : solve(like),
        leaf(lines),
        pitch(lines + gap),
        given(static_cast<std::size_t>(before + leaves * leaf * pitch), nan),
        inverses(given),
        sums(leaf_sums_bytes(leaves, leaf) / sizeof(double) + before,
             std::numeric_limits<double>::quiet_NaN()) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (std::int64_t i = 0; i < leaves * leaf; ++i)
      for (std::int64_t j = 0; j < leaf; ++j) {
        const std::int64_t line = i % leaf;
        T& number = given[place(i, j)];
        if (line == j)
          number = (i % 2 == 0 ? T(1.5) : T(-1.5)) + uniform(engine) / 4;
        else if ((line > j) == (solve.uplo == Uplo::lower))
          number = uniform(engine) / static_cast<T>(leaf);
      }
  }
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(before + i * pitch + j);
  }

  std::string what_is_wrong(const std::vector<T>& old) const {
    std::vector<T> expected(static_cast<std::size_t>(leaf * leaf));
    Level3Problem p = solve;
    p.lda = pitch;
    p.diag = Diag::non_unit;
    for (std::int64_t first = 0; first < leaves * leaf; first += leaf) {
      p.a = &given[place(first, 0)];
      if (!invert_triangle(p, {0, leaf}, expected.data(), leaf)) return "no memory for the trial";
      for (std::int64_t i = 0; i < leaf; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < leaf; ++j) {
          const T now = inverses[place(first + i, j)];
          const T host = expected[static_cast<std::size_t>(i * leaf + j)];
          if (!(std::abs(now - host) <= largest_error(host)))
            return "a number differs from the inverse";
          sum += std::abs(static_cast<double>(now));
        }
        if (!(std::abs(told_sum(first / leaf, i) - sum) <= 1e-13 * static_cast<double>(leaf) * sum))
          return "a sum is not that of the row";
      }
    }
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(inverses.size()); ++at) {
      const bool is_beside = at < before || (at - before) % pitch >= leaf;
      const auto number = static_cast<std::size_t>(at);
      if (is_beside && !(std::isnan(inverses[number]) && std::isnan(old[number])))
        return "a number beside the inverses was written";
    }
    for (std::int64_t i = 0; i < before; ++i)
      if (!std::isnan(sums[static_cast<std::size_t>(i)])) return "a number beside sums was written";
    return {};
  }

  const Level3Problem solve;
  const std::int64_t leaf, pitch;
  std::vector<T> given, inverses;
  std::vector<double> sums;

 private:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  // Numbers of both are at most about 1, computed in double precision.
  double largest_error(T number) const {
    constexpr double unit = std::numeric_limits<double>::epsilon();
    constexpr double stored = std::numeric_limits<T>::epsilon();
    return 16 * static_cast<double>(leaf) * unit + stored * std::abs(static_cast<double>(number));
  }
  double told_sum(std::int64_t number, std::int64_t row) const {
    const auto of_leaf = static_cast<std::int64_t>(leaf_sums_bytes(1, leaf) / sizeof(double));
    double sum = 0;
    for (std::int64_t at = row; at < of_leaf; at += leaf)
      sum += sums[static_cast<std::size_t>(before + number * of_leaf + at)];
    return sum;
  }
};

template <typename T>
std::string wrong(const TargetDevice& device, const Level3Problem& solve, std::int64_t leaf,
                  BuiltProgram& built, std::uint64_t seed) {
  LeavesTrial<T> trial(solve, leaf, seed);
  const std::vector<T> old = trial.inverses;
  cl::Queue queue(device.context);
  const auto given = copied_to(device.context, queue, trial.given);
  const auto inverses = copied_to(device.context, queue, trial.inverses);
  const auto sums = copied_to(device.context, queue, trial.sums);
  const std::size_t pitch = static_cast<std::size_t>(trial.pitch) * sizeof(T);
  const cl::Event done = enqueue_leaf_inverses(queue, solve.precision, built,
                                               {leaves,
                                                leaf,
                                                {given, before * sizeof(T), pitch},
                                                {inverses, before * sizeof(T), pitch},
                                                {sums, before * sizeof(double), 0}});
  queue.finish();
  queue.check_ended(done);
  copy_back(queue, *inverses, trial.inverses);
  copy_back(queue, *sums, trial.sums);
  return trial.what_is_wrong(old);
}

}  // namespace

std::string wrong_in_leaves(const TargetDevice& device, const Level3Problem& solve,
                            std::int64_t leaf, BuiltProgram& built, std::uint64_t seed) {
  return is_double(solve.precision) ? wrong<double>(device, solve, leaf, built, seed)
                                    : wrong<float>(device, solve, leaf, built, seed);
}

}  // namespace duoblas
