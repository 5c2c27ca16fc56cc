// On made-up trees of /sys and /dev, laid out as the kernel does.
#include "cli/driver_hints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support/temporary_directory.hpp"

namespace duoblas::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace fs = std::filesystem;

class DriverHints : public ::testing::Test {
 protected:
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text;
  }
  // `node` empty: a card that only drives a display.
  void add_card(const std::string& card, const std::string& vendor, const std::string& driver,
                const std::string& node, const std::string& address = "") {
    const fs::path device = fs::path("sys/class/drm") / card / "device";
    write(device / "uevent", (driver.empty() ? "" : "DRIVER=" + driver + "\n") +
                                 (address.empty() ? "" : "PCI_SLOT_NAME=" + address + "\n"));
    if (!vendor.empty()) {
      write(device / "vendor", vendor + "\n");
      write(device / "device", "0x15bf\n");
    }
    fs::create_directories(root() / device / "drm" / card);
    if (node.empty()) return;
    fs::create_directories(root() / device / "drm" / node);
    write(fs::path("dev/dri") / node, "");
  }
  std::vector<std::string> hints(const std::vector<cl::DeviceInfo>& devices = {},
                                 const std::string& rusticl_enable = "") {
    return texts(driver_hints(graphics_cards(root()), devices, rusticl_enable));
  }
  static std::vector<std::string> texts(const std::vector<DriverHint>& hints) {
    std::vector<std::string> lines;
    for (const DriverHint& hint : hints) lines.push_back(hint.text());
    return lines;
  }
  fs::path root() const { return folder_.path(); }

 private:
  test::TemporaryDirectory folder_;
};

cl::DeviceInfo gpu(const std::string& vendor, const std::string& name,
                   const std::string& address = "") {
  cl::DeviceInfo info;
  info.is_gpu = true;
  info.vendor = vendor;
  info.name = name;
  info.pci_address = address;
  return info;
}

TEST_F(DriverHints, SayNothingWhereThereIsNoCard) {
  EXPECT_THAT(hints(), IsEmpty());
}

TEST_F(DriverHints, NameThePackageAndTheVariableOfAnAmdApu) {
  add_card("card1", "0x1002", "amdgpu", "renderD128", "0000:c1:00.0");
  write("sys/class/drm/card1-HDMI-A-1/status", "connected\n");
  write("sys/class/drm/version", "drm 1.1.0\n");
  EXPECT_THAT(
      hints(),
      ElementsAre(AllOf(HasSubstr("AMD GPU 0x1002:0x15bf (amdgpu)"), HasSubstr("mesa-opencl-icd"),
                        HasSubstr("RUSTICL_ENABLE=radeonsi"), HasSubstr("rocm-opencl-icd"))));
}

TEST_F(DriverHints, KnowTheOtherFamilies) {
  add_card("card0", "0x8086", "xe", "renderD128");
  add_card("card1", "0x10de", "nvidia", "renderD129");
  add_card("card2", "", "panthor", "renderD130");
  add_card("card3", "", "msm", "renderD131");
  add_card("card4", "", "asahi", "renderD132");
  EXPECT_THAT(hints(), ElementsAre(AllOf(HasSubstr("intel-opencl-icd"), HasSubstr("=iris")),
                                   AllOf(HasSubstr("nvidia-opencl-icd"), Not(HasSubstr("RUSTICL"))),
                                   HasSubstr("RUSTICL_ENABLE=panfrost"),
                                   HasSubstr("RUSTICL_ENABLE=freedreno"),
                                   HasSubstr("RUSTICL_ENABLE=asahi")));
}

TEST_F(DriverHints, SayNothingOfDisplaysAndOfServersGraphics) {
  add_card("card0", "0x1a03", "ast", "");  // of a server's management controller
  add_card("card1", "0x1af4", "virtio-pci", "renderD128");
  add_card("card2", "", "rockchip-drm", "");
  add_card("card3", "", "msm", "");  // the display half of a phone's chip
  EXPECT_THAT(hints(), IsEmpty());
}

TEST_F(DriverHints, SayNothingOfAGpuThatIsShown) {
  add_card("card0", "0x1002", "amdgpu", "renderD128", "0000:c1:00.0");
  EXPECT_THAT(hints({gpu("AMD", "AMD Radeon 780M (radeonsi, phoenix)")}), IsEmpty());
  EXPECT_THAT(hints({gpu("Advanced Micro Devices, Inc.", "gfx1103", "0000:c1:00.0")}), IsEmpty());
}

TEST_F(DriverHints, TellTwoCardsOfOneVendorApartByTheirAddress) {
  add_card("card0", "0x1002", "amdgpu", "renderD128", "0000:03:00.0");
  add_card("card1", "0x1002", "amdgpu", "renderD129", "0000:c1:00.0");
  EXPECT_EQ(hints({gpu("AMD", "gfx1100", "0000:03:00.0")}).size(), 1u);
}

TEST_F(DriverHints, TakeNoCpuDeviceForTheGpu) {
  add_card("card0", "0x1002", "amdgpu", "renderD128");
  cl::DeviceInfo pocl = gpu("AuthenticAMD", "cpu-znver4-AMD Ryzen 7 7840U w/ Radeon 780M Graphics");
  pocl.is_gpu = false;
  EXPECT_EQ(hints({pocl}).size(), 1u);
}

TEST_F(DriverHints, TakeNoPartOfAWordForAVendor) {
  add_card("card0", "", "panfrost", "renderD128");
  EXPECT_EQ(hints({gpu("Charm", "warm")}).size(), 1u);
  EXPECT_THAT(hints({gpu("ARM", "Mali-G610 r0p0")}), IsEmpty());
}

TEST_F(DriverHints, DoNotAskForAVariableThatIsSet) {
  add_card("card0", "0x1002", "amdgpu", "renderD128");
  EXPECT_THAT(hints({}, "iris,radeonsi:0"),
              ElementsAre(AllOf(HasSubstr("is set"), Not(HasSubstr("and set")))));
  EXPECT_THAT(hints({}, "radeonsi2"), ElementsAre(HasSubstr("and set RUSTICL_ENABLE=radeonsi")));
}

TEST_F(DriverHints, SayWhatAContainerNeedsToSeeTheNode) {
  add_card("card0", "0x8086", "i915", "renderD128");
  fs::remove_all(root() / "dev");
  EXPECT_THAT(hints(), ElementsAre(AllOf(HasSubstr("/dev/dri/renderD128 is not there"),
                                         HasSubstr("--device /dev/dri"))));
}

TEST_F(DriverHints, NameTheGroupOfANodeThatMayNotBeOpened) {
  add_card("card0", "0x1002", "amdgpu", "renderD128");
  // Whoever is root may open everything: the finding is made up there.
  auto cards = graphics_cards(root());
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].access, GraphicsCard::Access::may_open);
  ASSERT_EQ(chmod((root() / "dev/dri/renderD128").c_str(), 0), 0);
  if (geteuid() != 0) {
    EXPECT_EQ(graphics_cards(root())[0].access, GraphicsCard::Access::denied);
  }
  cards[0].access = GraphicsCard::Access::denied;
  cards[0].group = "render";
  EXPECT_THAT(
      texts(driver_hints(cards, {}, "")),
      ElementsAre(AllOf(HasSubstr("/dev/dri/renderD128"), HasSubstr("usermod -aG render"))));
}

TEST_F(DriverHints, SayWhereTheKernelHasNoDriver) {
  add_card("card0", "0x1002", "", "");
  EXPECT_THAT(hints(), ElementsAre(HasSubstr("the kernel has no driver")));
}

TEST_F(DriverHints, NouveauIsNotNvidiasDriver) {
  add_card("card0", "0x10de", "nouveau", "renderD128");
  EXPECT_THAT(hints(), ElementsAre(HasSubstr("nouveau now")));
}

}  // namespace
}  // namespace duoblas::cli
