// What is known of the machine beside what the planner sees. A part of an engine: engine.facts().
#pragma once

#include <string>

#include "profile/profile.hpp"
#include "profile/profile_origin.hpp"

namespace duoblas {

struct EngineState;

/// Thread-safe, but for adopt(). Each of these opens the device.
class MachineFacts {
 public:
  explicit MachineFacts(EngineState& engine) : engine_(engine) {}

  /// Why there is no GPU.
  std::string gpu_problem();
  /// Devices that come before the one that was opened, and why they were not used; empty if there
  /// are none.
  std::string passed_over();
  /// What is wrong with a damaged or unreadable profile; empty: nothing is.
  std::string profile_problem();
  /// Of a device that is open, or was here last: tuning_advice(). Opens none.
  std::string tuning_advice();
  /// A rank's device, cores and profile, on a line. Opens no device.
  std::string of_rank();
  /// The key under which a profile of this machine is stored: that of products in this arithmetic.
  ProfileKey profile_key(Arithmetic arithmetic = Arithmetic::native);
  /// Describes the device, for the profile that is stored.
  ProfileOrigin profile_origin();
  /// Uses this profile from now on. Do not call it while other threads compute.
  void adopt(const Profile& profile);

 private:
  EngineState& engine_;
};

}  // namespace duoblas
