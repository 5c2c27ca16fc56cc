#include "engine/machine.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cpu/core_type.hpp"
#include "cpu/topology.hpp"
#include "engine/gpu_opening.hpp"
#include "engine/last_device.hpp"
#include "gpu/device/opened_device.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/fork_state.hpp"
#include "os/own_stack.hpp"
#include "planner/point_timings.hpp"
#include "profile/profile_match.hpp"
#include "profile/profile_part.hpp"

namespace duoblas {
namespace {

void use_profile(PlanMachine& facts, const Profile& profile) {
  // A core type with other instructions would end the process at its first product.
  const auto runs_here = [](const std::string& type) {
    const auto types = candidate_core_types(vector_extensions());
    return std::any_of(types.begin(), types.end(),
                       [&](const std::string& known) { return same_core_type(type, known); });
  };
  // The allowed cores may have changed since the tuning.
  const auto within = [](const std::vector<int>& cores, const std::vector<int>& allowed) {
    return std::all_of(cores.begin(), cores.end(), [&](int core) {
      return std::find(allowed.begin(), allowed.end(), core) != allowed.end();
    });
  };
  const auto adapt = [&](CpuConfig& mine, const CpuConfig& tuned) {
    if (runs_here(tuned.core_type)) mine.core_type = tuned.core_type;
    if (tuned.threads > 0 && tuned.threads < mine.threads) mine.threads = tuned.threads;
    if (!tuned.cores.empty() && within(tuned.cores, mine.cores)) {
      mine.cores = tuned.cores;
      mine.threads = std::min(mine.threads, static_cast<int>(tuned.cores.size()));
    }
    mine.tiles = tuned.tiles;
  };
  const Arithmetic arithmetic = profile.key.arithmetic;
  for (const Precision precision : all_precisions) {
    if (facts.device.arithmetic(precision) != arithmetic) continue;
    const std::size_t i = precision_index(precision);
    adapt(facts.cpu[i], profile.cpu[i]);
    adapt(facts.cpu_all[i], profile.cpu_all[i]);
  }
  facts.tuned(arithmetic).use(profile);
  facts.tuned(arithmetic).match = ProfileMatch::exact;
}

// The best of the available profiles. Unless it is of this very machine (as a shipped one may be),
// its CPU part is ignored: core types, threads and cores are this machine's.
void use_standing_in(PlanMachine& facts, const std::string& directory,
                     const MachineIdentity& machine) {
  auto candidates = profile_candidates(directory);
  const auto best = best_match(candidates, machine);
  if (!best) return;
  ProfileInUse& tuned = facts.tuned(machine.key.arithmetic);
  tuned.match = match(candidates[*best], machine);
  if (tuned.match == ProfileMatch::exact) return use_profile(facts, candidates[*best]);
  candidates[*best].cpu = facts.cpu;
  candidates[*best].cpu_all = facts.cpu_all;
  tuned.use(std::move(candidates[*best]));
}

// Of a rank that has a part of the cores: what was tuned here with all of them.
std::optional<Profile> tuned_on_all_cores(const PlanMachine& facts, const std::string& directory,
                                          ProfileKey key) {
  key.cpu = topology().cpu_model + " x" + std::to_string(topology().hardware_threads);
  std::string problem;
  auto profile = load_profile(directory, key, &problem);
  if (!profile) return profile;
  profile->cpu = facts.cpu;
  profile->cpu_all = facts.cpu_all;
  return profile;
}

// The profile of each arithmetic that the device has, or what stands in for it. Returns what is
// wrong with those that are there.
std::string use_profiles(PlanMachine& facts, const std::string& directory, MachineIdentity machine,
                         bool is_rank = false) {
  std::string problems;
  for (const Arithmetic arithmetic : arithmetics_of(facts.device)) {
    machine.key.arithmetic = arithmetic;
    std::string problem;
    std::optional<Profile> whole;
    if (const auto stored = load_profile(directory, machine.key, &problem)) {
      use_profile(facts, *stored);
    } else if (is_rank && (whole = tuned_on_all_cores(facts, directory, machine.key))) {
      facts.tuned(arithmetic).match = ProfileMatch::device;
      facts.tuned(arithmetic).use(*std::move(whole));
    } else {
      use_standing_in(facts, directory, machine);
    }
    if (!problem.empty()) problems += (problems.empty() ? "" : "; ") + problem;
  }
  return problems;
}

// Good enough for plans: a kernel that was tuned here is legal here.
DeviceLimits unlimited(bool is_cpu) {
  DeviceLimits limits;
  limits.is_cpu = is_cpu;
  limits.max_work_group_size = limits.max_allocation_bytes = std::size_t{1} << 40;
  limits.max_image_pixels = std::size_t{1} << 40;
  limits.vector_bytes = 64;
  limits.shuffle_width = 64;
  limits.async_copies = limits.register_shares = limits.byte_dot_products = true;
  limits.fp64_matrix = limits.tf32_matrix = limits.wide_matrix = true;
  limits.static_local_bytes = std::size_t{1} << 20;
  return limits;
}

// The size of launches follows from the rates of the same device when it was tuned; gemv uses the
// kernels that were fastest then.
void expect_as_tuned(GpuSide& gpu, const PlanMachine& facts) {
  const auto is_same_device = [](const ProfileInUse& tuned) {
    return tuned.profile && tuned.match >= ProfileMatch::device;
  };
  prefer_tuned(gpu.device()->gemv, is_same_device(facts) ? facts.profile->gemv : TunedGemvs());
  for (const Precision precision : all_precisions)
    if (const ProfileInUse& tuned = facts.tuned(precision); is_same_device(tuned))
      gpu.expect_rate(precision, tuned_gpu_rate(*tuned.profile, precision));
}

std::string advice_of(const ProfileInUse& tuned, Arithmetic arithmetic, bool learns) {
  const bool integers = arithmetic == Arithmetic::integers;
  constexpr const char* better = "run 'duoblas tune' to find its best kernel and split";
  const std::string none =
      std::string("no profile for ") + (integers ? "doubles by integers on " : "") + "this machine";
  if (!tuned.profile) return none + ": " + better;
  if (tuned.is_tuned())
    return tuned.profile->doubt.empty()
               ? ""
               : "this machine's profile is doubtful (" + tuned.profile->doubt +
                     "): run 'duoblas tune' again, while nothing else works";
  return none + "; that of " + title(*tuned.profile) + " stands in " +
         (tuned.match >= ProfileMatch::device
              ? "(the same device)"
              : "for kernels (the same " + std::string(name(tuned.match)) +
                    (learns ? "), and is a first guess of speeds that calls correct"
                            : "), and the GPU is used where it is asked for")) +
         ": " + better;
}

// A constructor of a driver that is being loaded may multiply, in the thread that opens it.
constinit thread_local bool opening_here = false;

class ScopedMark {
 public:
  explicit ScopedMark(bool& mark) : mark_(mark) { mark_ = true; }
  ~ScopedMark() { mark_ = false; }
  ScopedMark(const ScopedMark&) = delete;
  ScopedMark& operator=(const ScopedMark&) = delete;

 private:
  bool& mark_;
};

}  // namespace

std::string tuning_advice(const PlanMachine& facts) {
  for (const Arithmetic arithmetic : arithmetics_of(facts.device))
    if (std::string advice = advice_of(facts.tuned(arithmetic), arithmetic, facts.learns);
        !advice.empty())
      return advice;
  return "";
}

Machine::Machine(const Settings& settings, Logger& logger)
    : settings_(settings),
      logger_(logger),
      limits_(cpu_limits(settings.cpu_cores, settings.cpu_threads, settings.rank.on_host)),
      cpu_(limits_, settings.cpu_blas) {
  CpuConfig side = cpu_.all_cores("");
  cpu_only_.cpu_all = every_precision(side);
  if (settings.standin) {
    halves_ = standin_halves(limits_);
    side.cores = halves_.cpu;
    side.threads = std::min(side.threads, static_cast<int>(halves_.cpu.size()));
  }
  cpu_only_.cpu = every_precision(side);
  while_opening_.facts = cpu_only_;
  while_opening_.gpu_problem = std::string(sentence(Reason::device_starting));
}

// In a forked child the parent's result is useless.
const MachineState* Machine::known(bool cpu_device_allowed) const {
  const MachineState* machine_state = current_.load(std::memory_order_acquire);
  if (machine_state == nullptr || machine_state->fork_generation != fork_generation())
    return nullptr;
  const bool final =
      machine_state->gpu != nullptr || machine_state->with_cpu_devices || !cpu_device_allowed;
  return final ? machine_state : nullptr;
}

const MachineState& Machine::open(bool cpu_device_allowed) {
  if (const MachineState* machine_state = known(cpu_device_allowed)) return *machine_state;
  if (opening_here) return while_opening_;
  const ForkGuard no_fork;  // a child would have half a driver, and a loader that is stuck
  const std::lock_guard guard(opening_);
  if (const MachineState* machine_state = known(cpu_device_allowed)) return *machine_state;
  // Earlier states are kept: other threads may be reading them.
  kept_.push_back(fork_generation() == 0 ? find(cpu_device_allowed) : state_of_child());
  current_.store(kept_.back().get(), std::memory_order_release);
  return *kept_.back();
}

// OpenCL does not survive a fork, whoever used it in the parent: asking it for devices may hang.
std::unique_ptr<MachineState> Machine::state_of_child() const {
  auto machine_state = std::make_unique<MachineState>();
  machine_state->fork_generation = fork_generation();
  machine_state->gpu_problem = std::string(sentence(Reason::forked_child));
  machine_state->with_cpu_devices = true;
  machine_state->facts = cpu_only_;
  return machine_state;
}

bool Machine::reopen() {
  const ForkGuard no_fork;
  const std::lock_guard guard(opening_);
  MachineState* const before = current_.load();
  auto found = find(before->with_cpu_devices);
  if (found->gpu == nullptr) return false;
  if (profile_key(*found) == profile_key(*before)) {
    found->facts = before->facts;
    expect_as_tuned(*found->gpu, found->facts);
  }
  kept_.push_back(std::move(found));
  current_.store(kept_.back().get(), std::memory_order_release);
  before->gpu->let_go();
  return true;
}

// A driver's start may need more stack than the caller's thread has.
std::unique_ptr<MachineState> Machine::find(bool cpu_device_allowed) {
  return on_own_stack([&] {
    const ScopedMark mark(opening_here);
    return find_here(cpu_device_allowed);
  });
}

std::unique_ptr<MachineState> Machine::find_here(bool cpu_device_allowed) {
  auto found = std::make_unique<MachineState>();
  // Of ranks that have less than two cores each, a stand-in would have another one's.
  const bool is_crowded = settings_.standin && settings_.rank.on_host > 1 && limits_.threads < 2;
  OpenedGpu opened;
  if (is_crowded)
    opened.problem = "a rank's stand-in needs two cores of its own";
  else
    opened = settings_.standin ? open_standin(settings_, halves_)
                               : open_gpu(settings_, cpu_device_allowed);
  found->gpu = std::move(opened.side);
  found->gpu_problem = std::move(opened.problem);
  found->passed_over = std::move(opened.passed_over);
  found->with_cpu_devices = cpu_device_allowed;
  found->sharers = opened.sharers;
  found->facts = cpu_only_;
  if (found->gpu == nullptr) {
    if (opened.is_held) found->facts.without_gpu = Reason::device_held;
    if (opened.left_out) found->facts.without_gpu = Reason::driver_left_out;
    say_cpu_only(*found);
    return found;
  }
  if (!found->passed_over.empty()) logger_.once("passed over: ", found->passed_over);
  learn_facts(*found);
  find_profile(*found);
  expect_as_tuned(*found->gpu, found->facts);
  return found;
}

void Machine::say_cpu_only(const MachineState& found) {
  const std::string line = "CPU only: " + found.gpu_problem;
  if (cl::driver_hangs() && settings_.device != "none")
    logger_.always(line.c_str());
  else
    logger_.once(line);
}

void Machine::learn_facts(MachineState& found) {
  found.facts.has_gpu = true;
  found.facts.learns = settings_.adapt;
  found.facts.device = found.gpu->limits();
  found.facts.device.doubles_by_integers &= settings_.fp64 != Fp64Mode::native;
  found.facts.sharing = found.gpu->best_sharing();
  found.facts.shared_bytes = found.gpu->sharing().granularity();
  if (settings_.rank.on_host > 1) keep_near(found);
  // Of equal shares, the slow cores' would be ready last. A profile knows better. Not before: hwloc
  // takes milliseconds to look, and a child must not be forked meanwhile.
  for (CpuConfigs* configs : {&found.facts.cpu, &found.facts.cpu_all})
    for (CpuConfig& config : *configs)
      config.tiles = have_different_speeds(config.cores, topology());
  // A CPU device is used only if the user asked for one.
  if (settings_.standin || !found.gpu->info().is_cpu)
    LastDevice(settings_).remember({{profile_key(found), profile_origin(found)},
                                    found.facts.sharing,
                                    found.facts.device.has_fp64,
                                    found.facts.device.doubles_by_integers});
}

void Machine::find_profile(MachineState& found) {
  found.profile_problem =
      use_profiles(found.facts, settings_.profile_dir, {profile_key(found), profile_origin(found)},
                   settings_.rank.on_host > 1);
  if (!found.profile_problem.empty()) logger_.once(found.profile_problem);
  if (const std::string text = tuning_advice(found.facts); !text.empty()) logger_.once(text);
  found.facts.is_part = settings_.fixes_plans();
  if (settings_.rank.on_host > 1) plan_for_part(found);
}

// A rank whose launcher left it all cores works on those of its device's socket.
void Machine::keep_near(MachineState& found) const {
  std::vector<int> near;
  const std::vector<int> all = cores_near(found.gpu->info().pci_address);
  std::ranges::set_intersection(limits_.cores, all, std::back_inserter(near));
  if (near.size() == limits_.cores.size() || static_cast<int>(near.size()) < limits_.threads)
    return;
  for (CpuConfigs* configs : {&found.facts.cpu, &found.facts.cpu_all})
    for (CpuConfig& config : *configs) config.cores = near;
}

// Of several ranks on this host, each has a part of the cores, and a turn of its device if others
// have the same one. They do the same things at the same time.
void Machine::plan_for_part(MachineState& found) const {
  for (const Arithmetic arithmetic : arithmetics_of(found.facts.device)) {
    ProfileInUse& tuned = found.facts.tuned(arithmetic);
    if (!tuned.profile) continue;
    const int tuned_cores = cores_in_key(tuned.profile->key.cpu);
    Slowness slowness;
    if (tuned_cores > 0) slowness.cpu = static_cast<double>(tuned_cores) / limits_.threads;
    slowness.gpu = found.sharers;
    tuned.use(for_sides(*std::move(tuned.profile), slowness));
  }
}

const PlanMachine* Machine::as_last_opened() {
  std::call_once(reading_last_, [this] {
    auto device = LastDevice(settings_).load();
    if (!device) return;
    device->key.cpu = cpu_key();
    last_ = cpu_only_;
    last_->has_gpu = true;
    last_->device = unlimited(device->origin.kind == "cpu");
    last_->device.has_fp64 = device->has_fp64;
    last_->device.doubles_by_integers = device->doubles_by_integers;
    last_->sharing = device->sharing;
    use_profiles(*last_, settings_.profile_dir, *device);
  });
  return last_ ? &*last_ : nullptr;
}

std::string Machine::cpu_key() const {
  return topology().cpu_model + " x" + std::to_string(limits_.threads);
}

ProfileKey Machine::profile_key(const MachineState& machine_state) const {
  ProfileKey key;
  if (machine_state.gpu) {
    key.device = machine_state.gpu->info().name;
    key.driver =
        machine_state.gpu->info().platform + " " + machine_state.gpu->info().driver_version;
  }
  key.cpu = cpu_key();
  key.standin = settings_.standin;
  return key;
}

ProfileOrigin Machine::profile_origin(const MachineState& machine_state) const {
  if (!machine_state.gpu) return {};
  const cl::DeviceInfo& info = machine_state.gpu->info();
  return duoblas::profile_origin(
      {info.name, info.vendor, info.is_cpu, info.native_vector_bytes, info.nvidia_capability});
}

void Machine::adopt(const Profile& profile) {
  MachineState* const machine_state = current_.load();
  if (machine_state == nullptr) return;
  use_profile(machine_state->facts, profile);
  if (machine_state->gpu) expect_as_tuned(*machine_state->gpu, machine_state->facts);
}

}  // namespace duoblas
