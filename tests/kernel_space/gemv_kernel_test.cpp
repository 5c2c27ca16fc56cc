// The parameters of gemv's kernels: text, rules, images.
#include "kernel_space/gemv_kernel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace duoblas {
namespace {

DeviceLimits with_images() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  limits.max_image_pixels = 1 << 27;
  return limits;
}

GemvKernel with_image(int vector_width) {
  GemvKernel kernel{vector_width, 8, 1, 2, 4};
  kernel.image = 1;
  return kernel;
}

TEST(GemvKernels, ReadBackAsTheyAreDescribed) {
  for (const int inlined : {0, 1})
    for (const int image : {0, 1})
      for (const int fused : {0, 1, 4}) {
        const GemvKernel kernel{4, 32, 1, 1, 8, inlined, image, fused};
        EXPECT_EQ(gemv_kernel_from(describe(kernel)), kernel) << describe(kernel);
      }
  EXPECT_EQ(describe({4, 32, 1, 1, 8}), "v4 32x1 lines 1 unroll 8") << "as it was before";
  for (const char* text :
       {"", "v4 32x1 lines 1", "v4 32x1 lines 1 unroll 8 ", "v4 32x1 lines 1 unroll 8 image inline",
        "v4 32x1 lines 1 unroll 8 inline inline", "v4 32x1 lines 1 unroll 8 fused ",
        "v4 32x1 lines 1 unroll 8 fused 0", "v4 32x1 lines 1 unroll 8 fused 2 image"})
    EXPECT_THROW(gemv_kernel_from(text), std::invalid_argument) << text;
}

TEST(GemvKernels, ReadAnImageByWholePixels) {
  const auto is_right = [](int width, Precision precision) {
    return is_legal(with_image(width), with_images(), precision, false);
  };
  for (const int width : {1, 2, 4, 8, 16}) {
    EXPECT_EQ(is_right(width, Precision::s), width == 4) << width;
    EXPECT_EQ(is_right(width, Precision::d), width == 2) << width;
    EXPECT_EQ(is_right(width, Precision::c), width == 2) << width;
    EXPECT_EQ(is_right(width, Precision::z), width == 1) << width;
  }
}

TEST(GemvKernels, ReadNoImageWhereTheDeviceHasNone) {
  DeviceLimits limits = with_images();
  limits.max_image_pixels = 0;
  GemvKernel kernel = with_image(4);
  EXPECT_TRUE(is_sound(kernel, Precision::s, false));
  EXPECT_FALSE(is_legal(kernel, limits, Precision::s, false));
  kernel.image = 0;
  EXPECT_TRUE(is_legal(kernel, limits, Precision::s, false));
}

TEST(GemvKernels, HaveSwitchesThatAreOnOrOff) {
  for (const int value : {-1, 2}) {
    GemvKernel kernel{4, 8, 1, 2, 4};
    kernel.inline_sizes = value;
    EXPECT_FALSE(is_sound(kernel, Precision::s, false)) << value;
    kernel.inline_sizes = 1;
    EXPECT_TRUE(is_sound(kernel, Precision::s, false));
    kernel.image = value;
    EXPECT_FALSE(is_sound(kernel, Precision::s, false)) << value;
  }
}

// By the last work-group of a launch, which has to see what the others wrote.
TEST(GemvKernels, AddSlicesInOneLaunchWhereGroupsSeeEachOther) {
  GemvKernel kernel{4, 8, 1, 2, 4};
  kernel.fused = 2;
  DeviceLimits limits = with_images();
  EXPECT_TRUE(is_sound(kernel, Precision::s, false));
  EXPECT_FALSE(is_legal(kernel, limits, Precision::s, false));
  limits.async_copies = true;  // as devices have that take PTX's fences
  EXPECT_TRUE(is_legal(kernel, limits, Precision::s, false));
  for (const int value : {-1, 64}) {
    kernel.fused = value;
    EXPECT_FALSE(is_sound(kernel, Precision::s, false)) << value;
  }
}

}  // namespace
}  // namespace duoblas
