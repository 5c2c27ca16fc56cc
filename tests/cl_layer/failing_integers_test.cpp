// OpenCL calls and commands of a product by integers in blocks fail in turn, the first ones and
// ever fewer of the later ones: what is left of C has its old values, and the rest is right.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"

namespace duoblas::test {
namespace {

struct OfOnes {
  static constexpr std::int64_t rows = 70, columns = 40, depth = 90;

  explicit OfOnes(double with_beta) : beta(with_beta) {}

  double beta;
  std::vector<double> a = std::vector<double>(rows * depth, 1),
                      b = std::vector<double>(depth * columns, 1),
                      c = std::vector<double>(rows * columns, 2);

  GemmProblem problem() {
    GemmProblem p;
    p.precision = Precision::d;
    p.m = rows;
    p.n = p.ldb = p.ldc = columns;
    p.k = p.lda = depth;
    p.a = a.data();
    p.b = b.data();
    p.beta = beta;
    p.c = c.data();
    return p;
  }
  /// Where `rest` is left to do. There are old values, or, in place where beta == 0, any.
  bool is_right_with(const std::vector<GemmProblem>& rest, bool in_place) const {
    std::vector<double> want(rows * columns, depth + 2 * beta);
    for (const GemmProblem& part : rest)
      for (std::int64_t i = 0; i < part.m; ++i)
        for (std::int64_t j = 0; j < part.n; ++j) {
          const auto at =
              static_cast<std::size_t>(static_cast<double*>(part.c) - c.data() + i * columns + j);
          want[at] = in_place && beta == 0 ? c[at] : 2;
        }
    return c == want;
  }
};

struct Way {
  const char* name;
  SharingMode mode;
  std::size_t limit;
  bool in_place = false;  ///< C, too
};
// With less memory blocks of C in both directions, and several slices of sums.
constexpr Way copies{"staged", SharingMode::staged, std::size_t{160} << 10},
    inputs_in_place{"host_pointer", SharingMode::host_pointer, std::size_t{160} << 10},
    in_place{"in_place", SharingMode::host_pointer, std::size_t{200} << 10, true};

struct FailingIntegers : testing::TestWithParam<std::tuple<Way, double>> {
  const LayerControl& layer = LayerControl::get();
  const Way way = std::get<0>(GetParam());
  const SharingMode mode = way.mode;
  const double beta = std::get<1>(GetParam());
  GpuSide side{cl::list_devices().at(0), {}, false, way.limit};
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.true_driver();
    layer.reset();
  }

  /// What is left to do.
  std::vector<GemmProblem> multiply(OfOnes& numbers, SharingMode sharing) {
    std::optional<GpuJob> job;
    try {
      job = side.submit(numbers.problem(), integers_kernel(side.limits()), {sharing, sharing});
      job->wait();
    } catch (const UnsuitedNumbers& error) {
      ADD_FAILURE() << error.what();
    } catch (const DeviceError& error) {
      EXPECT_STRNE(error.what(), "");
    }
    if (!job) return {numbers.problem()};
    const auto rest = job->unfinished();
    return {rest.begin(), rest.end()};
  }
  bool is_right(const OfOnes& numbers, const std::vector<GemmProblem>& rest) const {
    return numbers.is_right_with(rest, way.in_place);
  }
  void expect_right(SharingMode sharing) {
    OfOnes numbers(beta);
    EXPECT_TRUE(multiply(numbers, sharing).empty());
    EXPECT_TRUE(is_right(numbers, {}));
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, FailingIntegers,
                         testing::Combine(testing::Values(copies, inputs_in_place, in_place),
                                          testing::Values(0.0, -0.5)),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) +
                                  (std::get<1>(of.param) == 0 ? "_overwrites" : "_updates");
                         });

TEST_P(FailingIntegers, LeaveARightAnswerOrTheOldOneAndAUsableSide) {
  side.build_pipeline();
  // What cannot be shared is staged.
  for (const SharingMode sharing : {mode, SharingMode::staged}) expect_right(sharing);
  const long kept = layer.live_objects();
  int failed = 0;
  for (long number = 1;; number += 1 + number / 8) {
    ASSERT_LT(number, 100'000) << "no end of calls";
    SCOPED_TRACE(number);
    OfOnes numbers(beta);
    layer.fail(("*:" + std::to_string(number)).c_str());
    const std::vector<GemmProblem> rest = multiply(numbers, mode);
    const bool fired = layer.fired() != 0;
    layer.reset();
    failed += !rest.empty();
    EXPECT_TRUE(is_right(numbers, rest));
    EXPECT_LE(layer.live_objects(), kept);
    expect_right(mode);
    if (!fired) break;
  }
  EXPECT_GT(failed, 15);
}

// A kernel's, or that of the note that C is certified: nothing comes of what it was to make.
TEST_P(FailingIntegers, BringNothingBehindACommandThatFails) {
  constexpr int short_of_memory = -4;
  expect_right(mode);
  for (const char* kind : {"kernel", "upload", "download", "fill", "copy"})
    for (long number = 1;; number += 1 + number / 8) {
      ASSERT_LT(number, 100'000) << "no end of commands";
      SCOPED_TRACE(kind + std::to_string(number));
      OfOnes numbers(beta);
      layer.reset();
      layer.fail_command(kind, number, short_of_memory);
      const std::vector<GemmProblem> rest = multiply(numbers, mode);
      const bool fails = layer.has_failed_command() != 0;
      layer.true_driver();
      EXPECT_TRUE(is_right(numbers, rest));
      EXPECT_EQ(rest.empty(), !fails);
      if (!fails) break;
    }
  expect_right(mode);
}

}  // namespace
}  // namespace duoblas::test
