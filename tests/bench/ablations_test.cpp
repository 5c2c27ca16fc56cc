// Kernels with one thing left out: the changes fit the kernels as they are now.
#include "bench/ablations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include <duoblas/error.hpp>

#include "gpu/kernels/embedded_kernels.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr KernelFamily kFamilies[] = {KernelFamily::panel, KernelFamily::tiled};

TEST(Ablations, OfBothFamiliesFitTheKernelsAndChangeOnlyWhatTheySay) {
  for (const KernelFamily family : kFamilies) {
    for (const Ablation& ablation : ablations(family)) {
      const test::TemporaryDirectory folder;
      ASSERT_NO_THROW(write_kernels(ablation, folder.path())) << ablation.title;
      for (const std::string_view name : embedded_kernels()) {
        const std::string file(name);
        const bool changes = std::ranges::any_of(
            ablation.changes, [&](const TextChange& change) { return change.file == file; });
        EXPECT_EQ(text_of(folder / file.c_str()) != embedded_kernel(file), changes)
            << ablation.title << ", " << file;
      }
    }
  }
}

TEST(Ablations, TheWholeKernelIsFirstAndAsItIs) {
  for (const KernelFamily family : kFamilies) {
    const auto all = ablations(family);
    EXPECT_TRUE(all.front().changes.empty());
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_FALSE(all[i].changes.empty());
  }
}

TEST(Ablations, ATextThatIsNotThereOnceIsNamed) {
  const test::TemporaryDirectory folder;
  const auto refusal = [&](const char* text) -> std::string {
    try {
      write_kernels({"mine", "", {{"types.clh", text, ""}}}, folder.path());
    } catch (const SettingError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal("nothing like this").find("kernels/types.clh"), std::string::npos);
  EXPECT_NE(refusal("#define ").find("does not have this once"), std::string::npos);
}

TEST(Ablations, TellWhatBoundsAKernel) {
  const auto tells = [](const std::vector<double>& times, const char* word) {
    const std::string told = what_bounds(KernelFamily::tiled, times);
    EXPECT_NE(told.find(word), std::string::npos) << told;
  };
  // whole, no A, no B, neither, arithmetic, no stores
  tells({1, 1, 1, 1, 1.02, 1}, "Arithmetic bounds it");
  tells({1, 1.01, 1.5, 1.52, 1.6, 1}, "\"no loads of B\"");
  tells({1, 1.1, 1.1, 1.5, 1.6, 1}, "\"no loads\"");
  tells({1, 1, 1, 1, 1.4, 1.3}, "\"no stores\"");
  tells({1, 1.01, 1.02, 1.03, 1.3, 1}, "local memory");
  tells({1, 1.01, 1.02, 1.03, 0, 1}, "not known");
  tells({}, "not known");
}

}  // namespace
}  // namespace duoblas
