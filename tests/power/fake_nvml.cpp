// A libnvidia-ml.so.1 for machines without an NVIDIA driver: one GPU that draws 250 W. The
// environment variable FAKE_NVML says what ails it:
//   no_driver   it cannot be initialised
//   no_total    it does not count energy
//   still       its count of energy stands still
//   gone        it falls off the bus half a second after it was first asked for its power, which is
//               the last question before it is believed to be there
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int driver_not_loaded = 9;
constexpr int gpu_is_lost = 15;
constexpr double watts = 250;
constexpr double update_seconds = 0.02;
constexpr double seconds_until_gone = 0.5;

using Clock = std::chrono::steady_clock;
Clock::time_point begin;
// The first question of its power; before it, none.
std::atomic<double> first_asked = 1e9;

bool ails(const char* what) {
  const char* ailment = std::getenv("FAKE_NVML");
  return ailment != nullptr && std::strcmp(ailment, what) == 0;
}

double seconds() {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int state() {
  return ails("gone") && seconds() > first_asked + seconds_until_gone ? gpu_is_lost : success;
}

}  // namespace

extern "C" {

using Device = void*;

int nvmlInit_v2() {
  begin = Clock::now();
  first_asked = 1e9;
  return ails("no_driver") ? driver_not_loaded : success;
}

int nvmlShutdown() {
  return success;
}

const char* nvmlErrorString(int result) {
  switch (result) {
    case not_supported: return "Not Supported";
    case driver_not_loaded: return "Driver Not Loaded";
    case gpu_is_lost: return "GPU is lost";
    default: return "Unknown Error";
  }
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned, Device* device) {
  *device = &begin;
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device* device) {
  *device = &begin;
  return std::strcmp(address, "0000:01:00.0") == 0 ? success : not_supported;
}

int nvmlDeviceGetName(Device, char* name, unsigned size) {
  std::strncpy(name, "Fake GPU", size);
  return success;
}

int nvmlDeviceGetTotalEnergyConsumption(Device, unsigned long long* millijoules) {
  if (ails("no_total")) return not_supported;
  const double moved = ails("still") ? 0 : std::floor(seconds() / update_seconds) * update_seconds;
  *millijoules = 1'000'000 + static_cast<unsigned long long>(moved * watts * 1e3);
  return state();
}

int nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) {
  if (seconds() < first_asked) first_asked = seconds();
  *milliwatts = static_cast<unsigned>(watts * 1e3);
  return state();
}

}  // extern "C"
