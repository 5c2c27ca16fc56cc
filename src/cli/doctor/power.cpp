// What doctor says of power profiles, governors and batteries.
#include <fstream>

#include "cli/doctor/trouble.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

}  // namespace

std::vector<Trouble> power_troubles(const fs::path& root) {
  std::vector<Trouble> troubles;
  const std::string profile = word_in(root / "sys/firmware/acpi/platform_profile");
  if (profile == "low-power" || profile == "quiet" || profile == "cool")
    troubles.push_back(
        {Weight::slows, "the power profile is " + profile + ": both sides are slower",
         "powerprofilesctl set performance    # and duoblas tune, if it was tuned so"});
  // With these drivers powersave is how every processor runs, and as fast as it has to be.
  const fs::path cpu = root / "sys/devices/system/cpu/cpu0/cpufreq";
  const std::string driver = word_in(cpu / "scaling_driver");
  if (word_in(cpu / "scaling_governor") == "powersave" && driver != "intel_pstate" &&
      driver != "amd-pstate-epp")
    troubles.push_back({Weight::slows, "the processor's governor is powersave: its clock stays low",
                        "sudo cpupower frequency-set -g schedutil"});
  std::error_code failed;
  for (const auto& supply : fs::directory_iterator(root / "sys/class/power_supply", failed))
    if (word_in(supply.path() / "type") == "Battery" &&
        word_in(supply.path() / "scope") != "Device" &&
        word_in(supply.path() / "status") == "Discharging") {
      troubles.push_back({Weight::tells, "this machine runs on its battery, and may be slower so",
                          "plug it in, above all while \"duoblas tune\" measures"});
      break;
    }
  return troubles;
}

}  // namespace duoblas::cli
