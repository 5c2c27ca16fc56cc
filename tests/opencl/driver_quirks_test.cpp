// The table of drivers' faults: names, versions, sources.
#include "opencl/driver_quirks.hpp"

#include <gtest/gtest.h>

namespace duoblas::cl {
namespace {

DeviceInfo device(const std::string& platform, const std::string& name,
                  const std::string& driver_version) {
  DeviceInfo info;
  info.platform = platform;
  info.name = name;
  info.driver_version = driver_version;
  return info;
}

TEST(DriverQuirks, AreNoneOfADriverThatNoRowNames) {
  EXPECT_EQ(quirks_of({}), DriverQuirks{});
  EXPECT_EQ(quirks_of(device("AMD Accelerated Parallel Processing", "gfx1103", "3581.0")),
            DriverQuirks{});
}

TEST(DriverQuirks, OfPoclHoldForEveryDeviceAndVersion) {
  for (const char* version : {"3.1", "6.0", ""}) {
    const DriverQuirks quirks =
        quirks_of(device("Portable Computing Language", "pthread-znver4", version));
    EXPECT_TRUE(quirks.keeps_programs && quirks.sized_at_start && quirks.one_stack_per_group &&
                quirks.slow_tiled_builds && quirks.links_by_program && quirks.needs_sysfs);
    EXPECT_FALSE(quirks.misreads_divided_ids || quirks.ends_long_loops);
  }
}

TEST(DriverQuirks, BeginWithTheVersionThatBroughtThem) {
  const auto aborts = [](const char* version) {
    return quirks_of(device("Portable Computing Language", "cpu-znver4", version)).compiler_aborts;
  };
  EXPECT_FALSE(aborts("3.1+debian"));
  EXPECT_TRUE(aborts("6.0+debian"));
  EXPECT_FALSE(aborts("7.0"));
}

TEST(DriverQuirks, EndWithTheVersionThatMendsThem) {
  const std::string llvmpipe = "llvmpipe (LLVM 15.0.6, 256 bits)";
  EXPECT_TRUE(quirks_of(device("rusticl", llvmpipe, "22.3.6")).ends_long_loops);
  EXPECT_FALSE(quirks_of(device("rusticl", llvmpipe, "25.0.7-2")).ends_long_loops);
  EXPECT_FALSE(quirks_of(device("rusticl", llvmpipe, "25.0")).ends_long_loops);
  // Nobody has seen it on a GPU.
  EXPECT_FALSE(quirks_of(device("rusticl", "AMD Radeon 780M", "22.3.6")).ends_long_loops);
}

TEST(DriverQuirks, OfIntelsCpuRuntimeAreNotItsGpuDrivers) {
  EXPECT_TRUE(quirks_of(device("Intel(R) OpenCL", "AMD EPYC", "2026.21.2")).misreads_divided_ids);
  EXPECT_FALSE(quirks_of(device("Intel(R) OpenCL Graphics", "Intel(R) Arc(TM)", "25.1"))
                   .misreads_divided_ids);
}

TEST(DriverQuirks, NameTheCompilerThatHoldsItsContext) {
  EXPECT_TRUE(quirks_of(device("NVIDIA CUDA", "NVIDIA H200", "580.159.04")).compiler_holds_context);
  EXPECT_FALSE(
      quirks_of(device("Portable Computing Language", "cpu", "6.0")).compiler_holds_context);
}

TEST(DriverQuirks, CorrectWhatADeviceSaysOfItself) {
  DeviceInfo shadowing = device("NVIDIA CUDA", "NVIDIA GB10", "580.95");
  shadowing.unified_memory = true;
  EXPECT_FALSE(corrected(shadowing).unified_memory);
  DeviceInfo other = device("NVIDIA CUDA", "Orin", "540.4");
  other.unified_memory = true;
  EXPECT_TRUE(corrected(other).unified_memory);
}

TEST(DriverQuirks, EachNamesItsSource) {
  for (const DriverQuirk& quirk : known_quirks()) {
    EXPECT_FALSE(quirk.platform.empty() && quirk.device.empty()) << quirk.source;
    EXPECT_GT(quirk.source.size(), 20u);
  }
}

TEST(DriverVersions, AreComparedNumberByNumber) {
  EXPECT_TRUE(is_version_below("22.3.6", "25.0"));
  EXPECT_TRUE(is_version_below("OpenCL 3.0 Mesa 22.3.6", "25.0"));
  EXPECT_TRUE(is_version_below("9.10", "10.2"));
  EXPECT_FALSE(is_version_below("25.0", "25.0"));
  EXPECT_FALSE(is_version_below("25.0.1", "25.0"));
  EXPECT_FALSE(is_version_below("", "25.0"));
  EXPECT_FALSE(is_version_below("of my own", "25.0"));
}

}  // namespace
}  // namespace duoblas::cl
