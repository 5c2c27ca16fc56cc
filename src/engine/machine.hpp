// The facts about this machine, as one engine found them: the opened device, its profile, the CPU's
// side.
//
// In: settings, the profile on disk, OpenCL's devices. Out: MachineState, whose `facts` are all
// that the planner sees. Nothing is opened before open() is called; having no device is a state
// too. Machine owns every MachineState that it ever made: after a lost device was opened again,
// calls on other threads may still use an older one.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "cpu/cpu_side.hpp"
#include "engine/logger.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/planner.hpp"

namespace duoblas {

/// The result of opening. It does not change once others can see it, except by Machine::adopt.
struct MachineState {
  std::unique_ptr<GpuSide> gpu;  ///< null: none
  std::string gpu_problem;       ///< why not
  std::string passed_over;       ///< devices that could not be opened, though another could
  std::string profile_problem;   ///< of a damaged or unreadable profile
  PlanMachine facts;             ///< what the planner sees
  bool with_cpu_devices = false;
  int sharers = 1;               ///< so many ranks on this host have the same device, at most
  unsigned fork_generation = 0;  ///< of the process that made it
};

/// Why plans may be slower here than they could be, and what to do; empty: this machine is tuned.
std::string tuning_advice(const PlanMachine& facts);

/// Thread-safe except adopt().
class Machine {
 public:
  /// \throws SettingError if the settings cannot be met.
  Machine(const Settings& settings, Logger& logger);

  /// Opens the device and reads its profile: once, and again only if no device was found and
  /// `cpu_device_allowed` has become true since. The result lives as long as this object. Having no
  /// device is a state, not an error. There is none in a forked child, nor in a process whose
  /// driver hangs; nor, until it is open, for the thread that opens it, because a driver's
  /// constructor may multiply there.
  const MachineState& open(bool cpu_device_allowed);

  /// Opens a lost device once more; its profile stays. False: there is none any more, and the
  /// earlier state stays. \pre open() found one.
  bool reopen();

  /// The result of open(), in this process or its parent; null if it was not called.
  const MachineState* found() const { return current_.load(std::memory_order_acquire); }

  /// The likely result of open(), by the device that was opened here last; null: unknown. Opens no
  /// device. The limits of kernels there are not known, so there are none.
  const PlanMachine* as_last_opened();

  ProfileKey profile_key(const MachineState& machine_state) const;
  ProfileOrigin profile_origin(const MachineState& machine_state) const;
  /// Uses the core types, cores and thread counts of the profile, within this process's present
  /// limits. \pre open() was called, and no other thread computes.
  void adopt(const Profile& profile);

  CpuSide& cpu() { return cpu_; }
  /// CPU-only while nothing is open: every allowed core.
  const CpuConfig& cpu_all() const { return cpu_only_.cpu_all.front(); }

 private:
  const MachineState* known(bool cpu_device_allowed) const;
  std::unique_ptr<MachineState> find(bool cpu_device_allowed);
  std::unique_ptr<MachineState> find_here(bool cpu_device_allowed);
  void say_cpu_only(const MachineState& found);
  /// The facts of the device that was opened, and its profile, or one that stands in.
  void learn_facts(MachineState& found);
  void find_profile(MachineState& found);
  void keep_near(MachineState& found) const;
  void plan_for_part(MachineState& found) const;
  std::unique_ptr<MachineState> state_of_child() const;
  std::string cpu_key() const;

  const Settings& settings_;
  Logger& logger_;
  const CpuLimits limits_;
  StandinHalves halves_;
  CpuSide cpu_;
  PlanMachine cpu_only_;
  MachineState while_opening_;  // for the thread that opens: its driver may multiply

  std::once_flag reading_last_;
  std::optional<PlanMachine> last_;

  std::mutex opening_;
  std::vector<std::unique_ptr<MachineState>> kept_;
  std::atomic<MachineState*> current_{nullptr};
};

}  // namespace duoblas
