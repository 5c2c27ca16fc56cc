// What this machine has, as one engine found it: the opened device, its profile, the CPU's side.
//
// In: settings, the profile on disk, OpenCL's devices. Out: MachineState, whose `facts` are all
// that the planner sees. Nothing is opened before open() is called, and having no device is a state
// too. Machine owns every MachineState that it ever made, since calls on other threads may still
// use an older one after a lost device was opened again.
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

/// What opening found. Does not change once others can see it, but for Machine::adopt.
struct MachineState {
  std::unique_ptr<GpuSide> gpu;  ///< null: none
  std::string gpu_problem;       ///< why not
  std::string passed_over;       ///< devices that could not be opened, though another could
  std::string profile_problem;   ///< of a damaged or unreadable profile
  PlanMachine facts;             ///< what the planner sees
  bool with_cpu_devices = false;
  unsigned fork_generation = 0;  ///< of the process that found it
};

/// Thread-safe but for adopt().
class Machine {
 public:
  /// \throws SettingError where the settings cannot be met.
  Machine(const Settings& settings, Logger& logger);

  /// Opens the device and reads its profile; once, and again only where `cpu_device_allowed` has
  /// become true since and no device was found. What is returned lives as long as this object.
  /// Having no device is a state, not an error. A forked child has none, nor a process whose
  /// driver hangs; nor has, until it is open, the thread that opens it, in which a driver's
  /// constructor may multiply.
  const MachineState& open(bool cpu_device_allowed);

  /// Opens a device that was lost once more; its profile stays. False: there is none any more, and
  /// what was found before stays. \pre open() found one.
  bool reopen();

  /// What open() found, in this process or its parent; null where it has not been called.
  const MachineState* found() const { return current_.load(std::memory_order_acquire); }

  /// What open() is likely to find, by the device that was opened here last; null: that is not
  /// known. Opens no device. What a kernel may use there is not known: anything.
  const PlanMachine* as_last_opened();

  ProfileKey profile_key(const MachineState& machine_state) const;
  ProfileOrigin profile_origin(const MachineState& machine_state) const;
  /// The core types, cores and thread counts of the profile, within what this process may use now.
  /// \pre open() was called, and no other thread computes.
  void adopt(const Profile& profile);

  CpuSide& cpu() { return cpu_; }
  /// CPU-only before anything is opened: every allowed core.
  const CpuConfig& cpu_all() const { return cpu_only_.cpu_all.front(); }

 private:
  const MachineState* known(bool cpu_device_allowed) const;
  std::unique_ptr<MachineState> find(bool cpu_device_allowed);
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
