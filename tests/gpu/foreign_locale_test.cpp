// A program whose global locale groups digits, as en_US does: what compilers and files get is the
// same.
#include <locale>
#include <string>

#include <gtest/gtest.h>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/kernels/kernel_verdicts.hpp"
#include "gpu/streams/gemv_variant.hpp"

namespace duoblas {
namespace {

// No such locale needs to be installed.
class Grouped final : public std::numpunct<char> {
  char do_thousands_sep() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

class AForeignLocale : public testing::Test {
 protected:
  ~AForeignLocale() override { std::locale::global(before_); }

 private:
  const std::locale before_ =
      std::locale::global(std::locale(std::locale::classic(), new Grouped));  // which owns it
};

TEST_F(AForeignLocale, LeavesTheOptionsOfKernelsAsTheyAre) {
  KernelVariant variant;
  variant.params.inline_sizes = true;
  variant.n = 4096;
  variant.k = 1234567;
  const std::string options = kernel_options(variant);
  EXPECT_NE(options.find(" -DSIZE_N=4096 -DSIZE_K=1234567"), options.npos) << options;
}

TEST_F(AForeignLocale, LeavesTheOptionsOfVectorRoutinesAsTheyAre) {
  GemvVariant variant;
  variant.kernel.inline_sizes = 1;
  variant.rows = 4096;
  variant.columns = variant.slice = 1234567;
  const std::string options = gemv_program({}, variant).options;
  EXPECT_NE(options.find(" -DSIZE_ROWS=4096 -DSIZE_COLUMNS=1234567"), options.npos) << options;
}

TEST_F(AForeignLocale, LeavesVerdictsReadable) {
  VariantVerdict verdict;
  verdict.verified_at = 1'790'000'000;
  verdict.checked = 12'345;
  const auto read = verdict_from(to_text(verdict));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->verified_at, verdict.verified_at);
  EXPECT_EQ(read->checked, verdict.checked);
}

}  // namespace
}  // namespace duoblas
