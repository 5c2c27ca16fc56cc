// The program that KernelTrials and StreamTrials start in tests is this one, with the real
// children.
#include <gtest/gtest.h>

#include <string_view>

#include "tuner/gemv_trials.hpp"
#include "tuner/kernel_trials.hpp"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == duoblas::kernel_trials_argument)
    return duoblas::run_kernel_trials();
  if (argc == 2 && std::string_view(argv[1]) == duoblas::gemv_trials_argument)
    return duoblas::run_gemv_trials();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
