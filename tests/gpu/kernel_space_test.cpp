// Kernels from the whole parameter space, on the device that is there: each point is refused by a
// named rule, or its kernel builds and is right. Every field value that the device can have is
// tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <tuple>

#include <duoblas/error.hpp>

#include "gpu/kernel_space.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "problem/element_types.hpp"

namespace duoblas::test {
namespace {

// Number of products that a point is tried with, and multiply-adds of one: what the reference takes
// in higher precision is a few milliseconds.
constexpr int kProducts = 3;
// Of a kernel with sizes compiled in, one build is enough: n and k stay.
constexpr int kProductsOfOneSize = 2;
constexpr std::int64_t kMostMadds = 400'000;

using Engine = std::mt19937;

std::int64_t one_of(Engine& engine, std::initializer_list<std::int64_t> values) {
  return values.begin()[engine() % values.size()];
}

// Around the edges of one or two tiles, or anywhere in them.
std::int64_t draw_extent(Engine& engine, std::int64_t tile) {
  const auto anywhere = static_cast<std::int64_t>(engine() % static_cast<unsigned>(2 * tile + 3));
  return std::max<std::int64_t>(
      1, one_of(engine, {1, tile - 1, tile, tile + 1, 2 * tile + 1, anywhere, anywhere}));
}

// Around the edges of slices and of blocks, and of the parts that k is split into.
std::int64_t draw_depth(Engine& engine, const KernelParams& p) {
  const std::int64_t slice = p.k_unroll;
  const std::int64_t whole = p.family == KernelFamily::panel ? p.block_k : slice * p.k_split;
  const auto anywhere = static_cast<std::int64_t>(engine() % static_cast<unsigned>(5 * slice + 3));
  return std::max<std::int64_t>(1, one_of(engine, {1, slice, slice + 1, 3 * slice - 1, whole + 1,
                                                   2 * whole + slice + 3, anywhere}));
}

// The first product has general factors over odd sizes, the second is aligned, as vectors want it,
// and overwrites C; the others draw everything.
CaseFactors draw_product(Engine& engine, const PlannedPoint& point, int number) {
  const KernelParams& p = point.params;
  CaseFactors f{.op_a = point.stratum.op_a, .op_b = point.stratum.op_b};
  f.m = draw_extent(engine, row_tile(p));
  f.n = draw_extent(engine, col_tile(p));
  f.k = draw_depth(engine, p);
  f.pad = one_of(engine, {0, 1, 3, 16});
  f.offset = one_of(engine, {0, 1, 2, 5});
  f.alpha = static_cast<double>(one_of(engine, {0, 1, -6, 6, -6, 6})) / (engine() % 2 ? 1 : 8);
  f.beta = static_cast<double>(one_of(engine, {0, 1, -7, 7})) / (engine() % 2 ? 1 : 8);
  f.seed = engine();
  if (number == 0) {
    f.m += f.m % 2 == 0;
    f.n += f.n % 2 == 0;
    f.pad = one_of(engine, {1, 3});
    f.offset = one_of(engine, {1, 3});
    f.alpha = 0.6;
    f.beta = -0.7;
  } else if (number == 1) {
    f.m = (f.m + 15) / 16 * 16;
    f.n = (f.n + 15) / 16 * 16;
    f.k = (f.k + 15) / 16 * 16;
    f.pad = f.offset = 0;
    f.alpha = 1;
    f.beta = 0;
  }
  const std::int64_t unit = number == 1 ? 16 : 1;
  while (f.m * f.n * f.k > kMostMadds) {
    std::int64_t& largest = std::max({std::ref(f.m), std::ref(f.n), std::ref(f.k)}).get();
    largest = std::max(unit, (largest / 2 + unit - 1) / unit * unit + (unit == 1 ? 1 : 0));
  }
  return f;
}

template <typename T>
void expect_point_right(GpuSide& side, const PlannedPoint& point, unsigned number) {
  std::string fields;
  for (const auto& [name, value] : to_fields(point.params))
    fields += ' ' + name + '=' + std::to_string(value);
  SCOPED_TRACE(describe(point.params) + fields);
  Engine engine(space_options().seed + number);
  const bool one_size = point.params.inline_sizes;
  CaseFactors first;
  for (int i = 0; i < (one_size ? kProductsOfOneSize : kProducts); ++i) {
    CaseFactors factors = draw_product(engine, point, i);
    if (i == 0) first = factors;
    if (one_size) {
      factors.n = first.n;
      factors.k = first.k;
    }
    try {
      expect_right<T>(factors, [&](const Call<T>& call, T* c, std::int64_t ldc) {
        side.submit(problem_of(call, c, ldc), point.params, side.best_sharing()).wait();
      });
    } catch (const DeviceError& error) {
      ADD_FAILURE() << text(factors) << ": " << error.what();
      return;
    }
  }
}

void expect_point_right(GpuSide& side, const PlannedPoint& point, unsigned number) {
  with_element_type(point.stratum.precision,
                    [&](auto zero) { expect_point_right<decltype(zero)>(side, point, number); });
}

using Part = std::tuple<KernelFamily, Precision, Op>;

struct KernelSpace : testing::TestWithParam<Part> {};

std::vector<Part> all_parts() {
  std::vector<Part> parts;
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled})
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z})
      for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
        if (op != Op::conj_transpose || is_complex(precision))
          parts.emplace_back(family, precision, op);
  return parts;
}

std::string name_of(const testing::TestParamInfo<Part>& info) {
  const auto [family, precision, op] = info.param;
  return std::string(family == KernelFamily::panel ? "Panel" : "Tiled") +
         static_cast<char>(precision) + letter(op);
}

INSTANTIATE_TEST_SUITE_P(Parts, KernelSpace, testing::ValuesIn(all_parts()), name_of);

TEST_P(KernelSpace, PointsThatNoRuleRefusesAreRight) {
  const auto [family, precision, op_a] = GetParam();
  SpaceDevice device;
  unsigned number = 0;
  int tried = 0;
  for (const PlannedPoint& point : space_plan(device.side().limits()).points) {
    ++number;
    const Stratum& s = point.stratum;
    if (s.family != family || s.precision != precision || s.op_a != op_a) continue;
    expect_point_right(device.side(), point, number);
    device.next_kernel();
    ++tried;
  }
  if (is_double(precision) && !device.side().limits().has_fp64)
    std::printf("not covered: the device has no double precision\n");
  else
    EXPECT_GE(tried, is_complex(precision) ? 3 * space_options().draws().of_complex
                                           : 2 * space_options().draws().of_real);
  std::printf("%d points\n", tried);
}

// Prints what the device leaves out, and fails where no lack of the device explains it.
TEST(KernelSpaceCoverage, LeavesOutOnlyWhatTheDeviceLacks) {
  SpaceDevice device;
  const DeviceLimits limits = device.side().limits();
  const SpacePlan& plan = space_plan(limits);
  std::printf("%zu points on %s, seed %u\n", plan.points.size(), device.side().info().name.c_str(),
              space_options().seed);
  for (const FieldValue& value : plan.not_covered) {
    const std::string lack = what_lacks(value, limits);
    const bool is_beyond_any =
        value.family == KernelFamily::panel
            ? value.field->name == "k_unroll" || value.field->name == "k_split"
            : value.field->name == "vector_width" && value.value == 16;
    // Of devices without doubles; integers_test draws such kernels.
    const bool is_lone =
        value.field->name == "matrix" && value.value >= static_cast<int>(MatrixUnit::integers);
    EXPECT_TRUE(!lack.empty() || is_beyond_any || is_lone) << text(value) << " is legal nowhere";
    std::printf("not covered: %s (%s)\n", text(value).c_str(),
                is_lone        ? "a kernel with a test of its own"
                : lack.empty() ? "the rules allow it on no device"
                               : ("needs " + lack).c_str());
  }
  for (const KernelRule& rule : kernel_rules()) {
    const auto found = plan.rejections.find(rule.name);
    if (found == plan.rejections.end())
      std::printf("not covered: rule %s refused nothing\n", std::string(rule.name).c_str());
    else
      std::printf("rule %s refused %ld draws\n", std::string(rule.name).c_str(), found->second);
  }
}

// The draws are those that the other tests run: each value is in one of their points.
TEST(KernelSpaceCoverage, ReachesEveryOtherValue) {
  SpaceDevice device;
  const SpacePlan& plan = space_plan(device.side().limits());
  for (const FieldValue& value : all_field_values()) {
    const auto is_value = [&](const FieldValue& other) {
      return other.family == value.family && other.field == value.field &&
             other.value == value.value;
    };
    const auto has_value = [&](const PlannedPoint& point) {
      return point.stratum.family == value.family && value.field->get(point.params) == value.value;
    };
    const bool is_left_out = !is_used(value) || std::ranges::any_of(plan.not_covered, is_value);
    EXPECT_NE(std::ranges::any_of(plan.points, has_value), is_left_out) << text(value);
  }
  for (const PlannedPoint& point : plan.points)
    EXPECT_EQ(violated_rule(point.params, point.stratum.precision, device.side().limits()), nullptr)
        << describe(point.params);
}

// With everything granted, a GPU's draws leave out what is beyond any device alone.
TEST(KernelSpaceCoverage, ReachesWhatOnlySomeDevicesHave) {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  limits.static_local_bytes = 227 << 10;
  limits.max_image_pixels = 1 << 27;
  limits.shuffle_width = 32;
  limits.async_copies = limits.register_shares = limits.fp64_matrix = limits.tf32_matrix = true;
  limits.wide_matrix = true;
  for (const FieldValue& value : plan_space(limits, space_options().seed, {1, 1}).not_covered)
    EXPECT_TRUE(
        value.family == KernelFamily::panel ||
        (value.field->name == "vector_width" && value.value == 16) ||
        (value.field->name == "matrix" && value.value >= static_cast<int>(MatrixUnit::integers)))
        << text(value);
}

}  // namespace
}  // namespace duoblas::test
