// Names of the cases of parameterised tests. GoogleTest takes letters, digits and underscores.
#pragma once

#include <string>

namespace duoblas::test {

inline std::string beta_name(double beta) {
  return beta == 0 ? "no_beta" : "beta";
}

/// For INSTANTIATE_TEST_SUITE_P over values of beta.
inline constexpr auto named_by_beta = [](const auto& info) { return beta_name(info.param); };

/// For INSTANTIATE_TEST_SUITE_P over ::testing::Range(0, 4), the four element types.
inline constexpr auto named_by_type = [](const auto& info) {
  return std::string(1, "sdcz"[info.param]);
};

}  // namespace duoblas::test
