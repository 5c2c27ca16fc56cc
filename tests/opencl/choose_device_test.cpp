// Which device is chosen, from lists that are made up.
#include "opencl/choose_device.hpp"

#include <gtest/gtest.h>

#include "support/made_locale.hpp"

namespace duoblas::cl {
namespace {

Device make(int index, const std::string& name, bool is_gpu) {
  Device device;
  device.info.index = index;
  device.info.name = name;
  device.info.is_gpu = is_gpu;
  device.info.is_cpu = !is_gpu;
  return device;
}

const std::vector<Device> laptop = {make(0, "pthread-znver4", false), make(1, "Radeon 780M", true),
                                    make(2, "GeForce RTX 4090", true)};
const std::vector<Device> no_gpu = {make(0, "pthread-znver4", false)};

TEST(DeviceChoice, TakesTheFirstGpuWhenNothingIsAskedFor) {
  EXPECT_EQ(choose_device(laptop, "", true)->info.index, 1);
  EXPECT_EQ(choose_device(laptop, "", false)->info.index, 1);
}

TEST(DeviceChoice, TakesACpuDeviceOnlyWhereThatIsAllowed) {
  std::string why_not;
  EXPECT_FALSE(choose_device(no_gpu, "", false, &why_not));
  EXPECT_EQ(why_not, "no GPU: OpenCL's devices are 0: pthread-znver4 (CPU)");
  EXPECT_EQ(choose_device(no_gpu, "", true)->info.index, 0);
}

TEST(DeviceChoice, TakesWhatIsNamedEvenIfItIsACpu) {
  EXPECT_EQ(choose_device(laptop, "PTHREAD", false)->info.index, 0);
  EXPECT_EQ(choose_device(laptop, "780m", false)->info.index, 1);
  EXPECT_EQ(choose_device(laptop, "0", false)->info.index, 0);
}

// The small letter of I is another one than i in Turkish.
TEST(DeviceChoice, IsTheSameInATurkishLocale) {
  const test::MadeLocale locale("tr_TR");
  EXPECT_TRUE(choose_device({make(0, "NVIDIA H100", true)}, "nvidia", false));
}

TEST(DeviceChoice, ReadsANumberAsAnIndexFirstAndThenAsPartOfAName) {
  EXPECT_EQ(choose_device(laptop, "2", false)->info.index, 2);
  EXPECT_EQ(choose_device(laptop, "4090", false)->info.index, 2);
}

TEST(DeviceChoice, TakesNothingForNone) {
  std::string why_not;
  EXPECT_FALSE(choose_device(laptop, "None", true, &why_not));
  EXPECT_EQ(why_not, "DUOBLAS_DEVICE is \"none\"");
}

TEST(DeviceChoice, ListsWhatThereIsWhenTheNameFitsNothing) {
  std::string why_not;
  EXPECT_FALSE(choose_device(laptop, "Arc", true, &why_not));
  EXPECT_EQ(
      why_not,
      "no device is \"Arc\": OpenCL's devices are 0: pthread-znver4 (CPU); 1: Radeon 780M (GPU); "
      "2: GeForce RTX 4090 (GPU)");
  EXPECT_FALSE(choose_device({}, "", true, &why_not));
  EXPECT_EQ(why_not, "no GPU and no CPU device: there is no OpenCL device");
}

TEST(DevicesForRanks, AreThoseThatAreLikeTheFirst) {
  const auto numbers = [](const std::vector<Device>& devices) {
    std::vector<int> found;
    for (const Device& device : devices_for_ranks(devices)) found.push_back(device.info.index);
    return found;
  };
  EXPECT_EQ(numbers({make(1, "H200", true), make(2, "Arc", true), make(3, "H200", true)}),
            std::vector({1, 3}));
  EXPECT_EQ(numbers(laptop), std::vector({0}));
  EXPECT_EQ(numbers({}), std::vector<int>());
}

}  // namespace
}  // namespace duoblas::cl
