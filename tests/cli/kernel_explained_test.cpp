// Parameters in words, of a table with an axis that the library has not.
#include "cli/kernel_explained.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "gpu/kernels/kernel_source.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/wider_space.hpp"

namespace duoblas::cli {
namespace {

KernelParams tiled(int made_up) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  test::made_up(p) = made_up;
  return p;
}

const std::string kLine = "  made_up = 3          by how many tiles a band is moved";

TEST(KernelExplained, HasAnAxisMoreInItsGroup) {
  const auto table = test::wider_space();
  const Lines lines = parameters_explained(tiled(3), table);
  const auto title = std::ranges::find(lines, "In what order");
  ASSERT_NE(title, lines.end());
  EXPECT_NE(std::find(title, lines.end(), kLine), lines.end());
}

TEST(KernelExplained, HasNoAxisThatTheFamilyDoesNotUse) {
  const auto table = test::wider_space();
  for (const std::string& line : parameters_explained(KernelParams{}, table))
    EXPECT_EQ(line.find("made_up"), std::string::npos) << line;
}

TEST(KernelExplained, TakesTheAxisForNoOptionOfTheCall) {
  const auto table = test::wider_space();
  KernelVariant variant;
  variant.params = tiled(3);
  const std::string options = kernel_options(variant, table);
  ASSERT_NE(options.find("-DMADE_UP=3"), std::string::npos);
  for (const std::string& line : options_explained(options, table))
    EXPECT_EQ(line.find("MADE_UP"), std::string::npos) << line;
}

TEST(KernelExplained, ListsTheAxisWithItsFamilyAndValues) {
  std::ostringstream text;
  print_kernel_space(text, test::wider_space());
  EXPECT_NE(
      text.str().find("\nmade_up: tiled: by how many tiles a band is moved\n    one of 1 3 9\n"),
      std::string::npos)
      << text.str();
}

TEST(KernelExplained, SaysWhatModuliAreFor) {
  DeviceLimits limits;
  limits.max_work_group_size = 64;
  ChosenKernel chosen;
  chosen.variant = normalised({integers_kernel(limits), Precision::d});
  std::ostringstream text;
  print_kernel(chosen, {}, text);
  EXPECT_NE(text.str().find("modulo 14 to 20 numbers"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("runs measure bound certify residues multiply store"),
            std::string::npos);
}

}  // namespace
}  // namespace duoblas::cli
