#include "power/power_sensor.hpp"

#include <chrono>
#include <cstdio>

namespace duoblas::power {
namespace {

std::string in_thousands(double value, const char* unit) {
  const char* prefix = "";
  if (value < 1e-3) {
    value *= 1e6;
    prefix = "u";
  } else if (value < 1) {
    value *= 1e3;
    prefix = "m";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s%s", value, prefix, unit);
  return text;
}

}  // namespace

const char* name_of(Domain domain) {
  switch (domain) {
    case Domain::package: return "package";
    case Domain::cpu: return "cpu";
    case Domain::gpu: return "gpu";
    case Domain::dram: return "dram";
    case Domain::system: return "system";
  }
  return "";
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string resolution(const SensorInfo& info) {
  std::string text = info.counts ? "counted" : "watts over time";
  if (info.update_seconds > 0) text += ", every " + in_thousands(info.update_seconds, "s");
  if (info.step_joules > 0) text += ", in steps of " + in_thousands(info.step_joules, "J");
  return text;
}

}  // namespace duoblas::power
