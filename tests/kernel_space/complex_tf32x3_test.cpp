// The kernel of MathMode::tf32x3 for complex products: where there is one, and which.
#include <gtest/gtest.h>

#include <string>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/h200_limits.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/sized_product.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

std::string broken_rule(const KernelParams& p, Precision precision) {
  const KernelRule* rule = violated_rule(p, precision, h200());
  return rule == nullptr ? "" : std::string(rule->name);
}

TEST(ComplexTf32Kernel, IsThatOfARealProduct) {
  const auto kernel = tf32x3_kernel(Precision::c, h200());
  ASSERT_TRUE(kernel.has_value());
  const auto wide = tf32x3_kernel(sized(Precision::c, 2048, 2048), h200());
  ASSERT_TRUE(wide.has_value());
  EXPECT_FALSE(kernel->wide);
  EXPECT_TRUE(wide->wide);
  for (const KernelParams& p : {*kernel, *wide, narrow_wide_tf32x3(Precision::c)}) {
    EXPECT_EQ(p.matrix, MatrixUnit::tf32x3) << describe(p);
    EXPECT_TRUE(p.as_real) << describe(p);
    EXPECT_EQ(p, canonical(p));
    EXPECT_EQ(from_fields(to_fields(p)), p);
    EXPECT_EQ(broken_rule(p, Precision::c), "") << describe(p);
    EXPECT_EQ(broken_rule(p, Precision::s), "complex_as_real") << describe(p);
    EXPECT_EQ(broken_rule(p, Precision::z), "matrix_instructions") << describe(p);
  }
  for (const Precision precision : {Precision::d, Precision::z})
    EXPECT_EQ(tf32x3_kernel(sized(precision, 2048, 2048), h200()), std::nullopt);
}

TEST(ComplexTf32Kernel, IsThereWherePackingPays) {
  constexpr auto c = Precision::c;
  EXPECT_EQ(tf32x3_kernel(sized(c, 1024, 1024), h200()), wide_tf32x3(c));
  EXPECT_EQ(tf32x3_kernel(sized(c, 384, 384), h200()), narrow_wide_tf32x3(c));
  EXPECT_EQ(tf32x3_kernel(sized(c, 192, 192), h200()), std::nullopt);
  EXPECT_EQ(tf32x3_kernel(sized(c, 128, 1 << 20), h200()), std::nullopt) << "B is packed";
  DeviceLimits other = h200();
  other.wide_matrix = false;
  EXPECT_EQ(tf32x3_kernel(sized(c, 512, 512), other), default_tf32x3(c));
  EXPECT_EQ(tf32x3_kernel(sized(c, 384, 384), other), std::nullopt);
  for (const DeviceLimits& device : {h200(), other}) {
    EXPECT_TRUE(tf32x3_kernel(sized(c, 1024, 1024, 32), device));
    EXPECT_FALSE(tf32x3_kernel(sized(c, 1024, 1024, 31), device)) << "sums are short";
  }
}

}  // namespace
}  // namespace duoblas
