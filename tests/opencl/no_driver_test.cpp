// A machine without any driver.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "opencl/device.hpp"

namespace duoblas::cl {
namespace {

bool opencl_is_mapped() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libOpenCL") != std::string::npos) return true;
  }
  return false;
}

TEST(NoDriver, GivesNoDeviceAndSaysWhatToInstall) {
  EXPECT_FALSE(opencl_is_mapped()) << "the library must be loaded late";
  ::setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  std::string why_not;
  EXPECT_TRUE(list_devices(&why_not).empty());
  EXPECT_NE(why_not.find("CL_PLATFORM_NOT_FOUND_KHR"), std::string::npos) << why_not;
  EXPECT_NE(why_not.find("install"), std::string::npos) << why_not;
  EXPECT_TRUE(opencl_is_mapped());
}

}  // namespace
}  // namespace duoblas::cl
