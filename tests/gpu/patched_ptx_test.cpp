// PTX that becomes a program of sm_90a.
#include "gpu/kernels/patched_ptx.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/kernel_source.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

std::string patched(std::string_view text) {
  const std::vector<unsigned char> result = patched_ptx({text.begin(), text.end()});
  return {result.begin(), result.end()};
}

constexpr std::string_view kHead = ".version 9.0\n.target sm_90, texmode_independent\n";

TEST(PatchedPtx, HasTheMarkedInstructionsAndTheirTargetAndNothingElseChanged) {
  const std::string body = "// begin inline asm\n\t//sm_90a wgmma.fence.sync.aligned;\n";
  EXPECT_EQ(patched(std::string(kHead) + body + body + "ret;"),
            ".version 9.0\n.target sm_90a, texmode_independent\n"
            "// begin inline asm\n\twgmma.fence.sync.aligned;\n"
            "// begin inline asm\n\twgmma.fence.sync.aligned;\nret;");
  EXPECT_EQ(patched(".target sm_90\n//sm_90a x;"), ".target sm_90a\nx;");
}

TEST(PatchedPtx, IsNoneOfOtherTargetsNorOfOtherBinaries) {
  for (const std::string_view text : {".target sm_80\n//sm_90a x;", ".target sm_90a\n//sm_90a x;",
                                      ".target sm_900\n//sm_90a x;", ".target sm_90",
                                      "\x7f"
                                      "ELF//sm_90a x;",
                                      ""})
    EXPECT_THROW(patched(text), DeviceError) << text;
}

// A driver that leaves comments out would run a kernel that multiplies nothing.
TEST(PatchedPtx, IsNoneWithoutAMark) {
  EXPECT_THROW(patched(std::string(kHead) + "ret;"), DeviceError);
}

TEST(HiddenInstructions, AreInWideKernelsAlone) {
  EXPECT_TRUE(hides_instructions(kernel_source(wide_tf32x3(), "")));
  EXPECT_TRUE(hides_instructions(wide_probe_source("")));
  for (const std::string& source :
       {kernel_source(default_tf32x3(), ""), kernel_source({}, ""), probe_source("")})
    EXPECT_FALSE(hides_instructions(source));
}

}  // namespace
}  // namespace duoblas
