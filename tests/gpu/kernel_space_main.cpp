// kernel_space_test [--exhaustive] [GoogleTest's arguments]
// DUOBLAS_TEST_SEED: the seed of the draws; DUOBLAS_TEST_EXHAUSTIVE=1: as --exhaustive;
// DUOBLAS_DEVICE: the device, as the library takes it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "gpu/kernel_space.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  duoblas::test::SpaceOptions& options = duoblas::test::space_options();
  if (const char* seed = std::getenv("DUOBLAS_TEST_SEED"))
    options.seed = static_cast<unsigned>(std::stoul(seed));
  if (const char* all = std::getenv("DUOBLAS_TEST_EXHAUSTIVE"))
    options.exhaustive = std::string_view(all) == "1";
  if (const char* device = std::getenv("DUOBLAS_DEVICE")) options.device = device;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--exhaustive") options.exhaustive = true;
  return RUN_ALL_TESTS();
}
