// The private state of an Engine. Only the files of Engine, of its parts and of its driver include
// it, each about one kind of call or one concern.
//
// It owns all parts of the engine. The order of its members matters: those that are destroyed
// first may use those that are destroyed later. Members are thread-safe, atomic or set once. Work
// in the background holds `life` while it uses the engine, and does not begin after end_life().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/workers.hpp"
#include "engine/background_work.hpp"
#include "engine/call.hpp"
#include "engine/device_health.hpp"
#include "engine/device_jobs.hpp"
#include "engine/engine.hpp"
#include "engine/launches.hpp"
#include "engine/learning.hpp"
#include "engine/logger.hpp"
#include "engine/machine.hpp"
#include "engine/machine_facts.hpp"
#include "engine/outlays.hpp"
#include "engine/plans.hpp"
#include "engine/readiness.hpp"
#include "engine/result_checks.hpp"
#include "os/fork_state.hpp"

namespace duoblas {

/// From now on a fork waits for engines' work.
void watch_forks_after_memory();

// Six buffers with ten powers of two each. Later growths come from a device so short of memory that
// its calls always wait, so they say nothing about a single call.
inline constexpr unsigned most_growths = 60;

struct EngineState {
  EngineState(Settings given, const RetryPauses& pauses)
      : settings(std::move(given)),
        logger(settings.verbose),
        machine(settings, logger),
        health(*this, pauses) {
    watch_forks_after_memory();
    born_in = fork_generation();
  }

  // A CPU device only serves to show that both sides work, so the user must ask for it.
  const MachineState& open() {
    return machine.open(settings.standin || plans.request().insists_on_gpu());
  }

  // Whether this engine was made before or after the fork does not matter: everything that OpenCL
  // had in the parent is dead in the child.
  static bool in_child() { return fork_generation() != 0; }

  /// The device, if one is open and this is no forked child. Opens none.
  GpuSide* opened_gpu() const {
    const MachineState* const found = in_child() ? nullptr : machine.found();
    return found == nullptr ? nullptr : found->gpu.get();
  }

  // A leaf of a blocked routine must not open a device that no product asked for.
  const CpuConfig& all_cores(Precision precision) const {
    const MachineState* machine_state = in_child() ? nullptr : machine.found();
    return machine_state == nullptr ? machine.cpu_all()
                                    : machine_state->facts.cpu_all_for(precision);
  }

  // A given split stays as it is, and so does every bit of the result. A child has no use for
  // OpenCL and its times, and another thread may have held the learner's lock.
  bool adapts() const { return settings.adapt && !in_child() && !plans.request().split; }

  // Done in the background while this engine lives. The device is open by then, so exit() waits
  // before the driver's handlers run, in whatever thread. False: it is not done.
  template <typename Piece>
  bool give(Piece&& piece, WorkPriority priority = WorkPriority::as_the_program) noexcept {
    static const bool exit_waits = let_exit_wait_before_handlers();
    if (!exit_waits) return false;
    try {
      return give_background_work(
          [shared = life, piece = std::forward<Piece>(piece)] {
            const std::lock_guard alive(shared->mutex);
            if (!shared->is_over) piece();
          },
          priority);
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void end_life() {
    const std::lock_guard waits_for_piece(life->mutex);
    life->is_over = true;
  }

  /// One life of a call (engine_calls.cpp), whose outcome it completes. Prints nothing of it.
  /// \throws as Engine::carry_out.
  void carry_out(Call& call, Manner manner);
  /// The same with what `device` is of the call. `is_all`: this is not one of several steps.
  void carry_out(Call& call, Manner manner, Admission& device, bool is_all = false);
  void compute(Call& call, Manner manner, Admission& device);
  void compute_alone(Call& call, Reason why);
  void compute_on_both(Call& call, Manner manner, GpuSide& gpu);
  void carry_out(const GemmProblem& problem, Outcome& outcome, const ResidentOperands& resident,
                 Manner manner, Admission& device, bool is_all = false);
  Outcome carry_out(const GemmProblem& problem, Plan&& plan, const ResidentOperands& resident,
                    Manner manner);
  Outcome carry_out(const GemvProblem& problem, Plan&& plan, const ResidentMatrix* a,
                    Manner manner);
  /// Why the CPU does an admitted call, or a step of one. Changes the plan's kernel, if another one
  /// is to be used.
  std::optional<Reason> why_not_ready(GpuSide& gpu, Call& call, bool is_step);
  /// Whether such parts leave the device alone for now, since their numbers did not suit it.
  bool rests_for_numbers(const Call& call) noexcept;
  /// What the device's part and its check showed.
  void note_result(GpuSide& gpu, Call& call, const HybridOutcome& did) noexcept;
  /// Records what a call showed about the device.
  void settle(Call& call, const HybridOutcome& did);
  /// readiness.why_not() for a call of the library that gains by its plan.
  std::optional<Reason> why_not(const Launches& launches, const Plan& plan);

  // Work in the background holds it while it uses the engine.
  struct Life {
    std::mutex mutex;
    bool is_over = false;
  };

  const Settings settings;
  const std::shared_ptr<Life> life = std::make_shared<Life>();
  Logger logger;
  Machine machine;
  unsigned born_in = 0;
  ResultChecks checks{settings.check, {hand_out, machine.cpu().limits().threads}};
  Learning learning{*this};
  Outlays outlays{settings};
  Plans plans{*this, settings};
  DeviceJobs jobs{*this};
  MachineFacts facts{*this};
  Readiness readiness{*this};
  DeviceHealth health;  // ends before what it uses
};

/// Whether there are plans in which the device works on copies of the operands.
bool may_copy(const PlanMachine& machine, Precision precision);

}  // namespace duoblas
