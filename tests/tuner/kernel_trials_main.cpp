// The program that KernelTrials starts in tests is this one: run_kernel_trials() is the real child.
#include <gtest/gtest.h>

#include <string_view>

#include "tuner/kernel_trials.hpp"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == duoblas::kernel_trials_argument)
    return duoblas::run_kernel_trials();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
