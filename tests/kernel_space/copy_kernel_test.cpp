#include "kernel_space/copy_kernel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace duoblas {
namespace {

TEST(CopyKernels, ReadBackAsTheyAreDescribed) {
  for (const int width : {1, 2, 4, 16}) {
    const CopyKernel kernel{32, 16, 8, 1, width};
    EXPECT_EQ(copy_kernel_from(describe(kernel)), kernel) << describe(kernel);
  }
  EXPECT_EQ(describe({32, 16, 8, 1}), "tile 32, 16x8, lines 1") << "as it was before";
  EXPECT_EQ(describe({32, 16, 8, 1, 2}), "tile 32, 16x8, lines 1, v2");
  for (const char* text :
       {"", "tile 32, 16x8", "tile 32, 16x8, lines 1,", "tile 32, 16x8, lines 1 v2",
        "tile 32, 16x8, lines 1, v", "tile 32, 16x8, lines 1, v2 "})
    EXPECT_THROW(copy_kernel_from(text), std::invalid_argument) << text;
}

TEST(CopyKernels, HaveVectorsOfOpenClWithinATile) {
  const auto is_sound_width = [](int width, Precision precision, bool transposes) {
    return is_sound({24, 2, 2, 1, width}, precision, transposes);
  };
  for (const int width : {-1, 0, 3, 32}) EXPECT_FALSE(is_sound_width(width, Precision::s, false));
  for (const int width : {1, 2, 4, 8, 16}) {
    EXPECT_TRUE(is_sound_width(width, Precision::d, false)) << width;
    EXPECT_EQ(is_sound_width(width, Precision::c, false), width < 16) << width;
    EXPECT_EQ(is_sound_width(width, Precision::d, true), width < 16) << width << " of 24";
  }
  EXPECT_TRUE(is_sound({32, 8, 32, 1, 4}, Precision::s, true));
  EXPECT_FALSE(is_sound({32, 16, 32, 1, 4}, Precision::s, true))
      << "half of them have nothing to do";
}

// As far as a work-item's widest access, on any device that has work-items enough for a vector.
TEST(CopyKernels, BuiltInOnesAreLegal) {
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true})
      for (const std::size_t items : {1, 8, 64, 256, 1024})
        for (const std::size_t local : {1 << 12, 48 << 10}) {
          DeviceLimits device;
          device.max_work_group_size = items;
          device.local_memory_bytes = local;
          const CopyKernel kernel = default_copy_kernel(device, precision, transposes);
          EXPECT_TRUE(is_legal(kernel, device, precision, transposes))
              << describe(kernel) << " of " << items << " work-items, " << local << " bytes";
        }
}

}  // namespace
}  // namespace duoblas
