#include "engine/machine.hpp"

#include <algorithm>
#include <utility>

#include "cpu/core_type.hpp"
#include "cpu/fork_state.hpp"
#include "cpu/topology.hpp"
#include "engine/gpu_opening.hpp"
#include "engine/last_device.hpp"
#include "engine/tuned_choices.hpp"
#include "gpu/opened_device.hpp"
#include "opencl/patience.hpp"
#include "planner/tuned_rate.hpp"
#include "profile/profile_candidates.hpp"

namespace duoblas {
namespace {

void use_profile(PlanMachine& facts, const Profile& profile) {
  // A type for another processor's instructions would end the process at its first product.
  const auto runs_here = [](const std::string& type) {
    const auto types = candidate_core_types(vector_extensions());
    return std::any_of(types.begin(), types.end(),
                       [&](const std::string& known) { return same_core_type(type, known); });
  };
  // Allowed cores may be others than when it was tuned.
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
  for (std::size_t i = 0; i < precision_count; ++i) {
    adapt(facts.cpu[i], profile.cpu[i]);
    adapt(facts.cpu_all[i], profile.cpu_all[i]);
  }
  facts.use(profile);
  facts.match = ProfileMatch::exact;
}

// The best of the profiles that are there. Unless it is one of this very machine (as a shipped one
// may be), nothing of its CPU comes with it: core types, threads and cores are this machine's.
void use_standing_in(PlanMachine& facts, const std::string& directory,
                     const ProfileSubject& machine) {
  auto candidates = profile_candidates(directory);
  const auto best = best_match(candidates, machine);
  if (!best) return;
  facts.match = match(candidates[*best], machine);
  if (facts.match == ProfileMatch::exact) return use_profile(facts, candidates[*best]);
  candidates[*best].cpu = facts.cpu;
  candidates[*best].cpu_all = facts.cpu_all;
  facts.use(std::move(candidates[*best]));
}

// As far as a plan's time goes: a kernel that was tuned here is legal here.
DeviceLimits unlimited(bool is_cpu) {
  DeviceLimits limits;
  limits.is_cpu = is_cpu;
  limits.max_work_group_size = limits.max_allocation_bytes = std::size_t{1} << 40;
  limits.max_image_pixels = std::size_t{1} << 40;
  limits.vector_bytes = 64;
  limits.shuffle_width = 64;
  limits.async_copies = limits.register_shares = true;
  limits.fp64_matrix = limits.tf32_matrix = limits.wide_matrix = true;
  limits.static_local_bytes = std::size_t{1} << 20;
  return limits;
}

// Launches are cut by what the same device did when it was tuned; kernels of what memory bounds are
// those that were fastest then.
void expect_as_tuned(GpuSide& gpu, const PlanMachine& facts) {
  const bool same_device = facts.profile && facts.match >= ProfileMatch::device;
  prefer_tuned(gpu.device()->choices, same_device ? facts.profile->streams : TunedStreams());
  if (!same_device) return;
  for (const Precision precision : all_precisions)
    gpu.expect_rate(precision, tuned_gpu_rate(*facts.profile, precision));
}

std::string missing_profile_text(const PlanMachine& facts) {
  constexpr const char* better = "run 'duoblas tune' to find its best kernel and split";
  const std::string none = "no profile for this machine";
  if (!facts.profile) return none + ": " + better;
  return none + "; that of " + title(*facts.profile) + " stands in " +
         (facts.match >= ProfileMatch::device
              ? "(the same " + std::string(facts.is_tuned() ? "machine" : "device") + ")"
              : "for kernels (the same " + std::string(name(facts.match)) +
                    (facts.learns ? "), and is a first guess of speeds that calls correct"
                                  : "), and the GPU is used where it is asked for")) +
         ": " + better;
}

// Of a driver that is being loaded a constructor may multiply, in the thread that opens it.
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

Machine::Machine(const Settings& settings, Narrator& narrator)
    : settings_(settings),
      narrator_(narrator),
      limits_(cpu_limits(settings.cpu_cores, settings.cpu_threads)),
      cpu_(limits_, settings.cpu_blas) {
  CpuConfig side = cpu_.all_cores("");
  cpu_only_.cpu_all = every_precision(side);
  if (settings.standin) {
    halves_ = standin_halves(limits_);
    side.cores = halves_.cpu;
    side.threads = static_cast<int>(halves_.cpu.size());
  }
  cpu_only_.cpu = every_precision(side);
  while_opening_.facts = cpu_only_;
  while_opening_.gpu_problem = std::string(sentence(Reason::device_starting));
}

// What the parent found is of no use in a forked child.
const Findings* Machine::known(bool cpu_device_allowed) const {
  const Findings* findings = current_.load(std::memory_order_acquire);
  if (findings == nullptr || findings->fork_generation != fork_generation()) return nullptr;
  const bool final = findings->gpu != nullptr || findings->with_cpu_devices || !cpu_device_allowed;
  return final ? findings : nullptr;
}

const Findings& Machine::open(bool cpu_device_allowed) {
  if (const Findings* findings = known(cpu_device_allowed)) return *findings;
  if (opening_here) return while_opening_;
  const ActiveWork no_fork;  // a child would have half a driver, and a loader that is stuck
  const std::lock_guard guard(opening_);
  const ScopedMark mark(opening_here);
  if (const Findings* findings = known(cpu_device_allowed)) return *findings;
  // Earlier findings are kept: other threads may be reading them.
  kept_.push_back(fork_generation() == 0 ? find(cpu_device_allowed) : findings_of_child());
  current_.store(kept_.back().get(), std::memory_order_release);
  return *kept_.back();
}

// OpenCL does not survive a fork, whoever used it in the parent: to ask it for devices may hang.
std::unique_ptr<Findings> Machine::findings_of_child() const {
  auto findings = std::make_unique<Findings>();
  findings->fork_generation = fork_generation();
  findings->gpu_problem = std::string(sentence(Reason::forked_child));
  findings->with_cpu_devices = true;
  findings->facts = cpu_only_;
  return findings;
}

bool Machine::reopen() {
  const ActiveWork no_fork;
  const std::lock_guard guard(opening_);
  const ScopedMark mark(opening_here);
  Findings* const before = current_.load();
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

std::unique_ptr<Findings> Machine::find(bool cpu_device_allowed) {
  auto findings = std::make_unique<Findings>();
  auto opened = settings_.standin ? open_standin(settings_, halves_)
                                  : open_gpu(settings_, cpu_device_allowed);
  findings->gpu = std::move(opened.side);
  findings->gpu_problem = std::move(opened.problem);
  findings->passed_over = std::move(opened.passed_over);
  findings->with_cpu_devices = cpu_device_allowed;
  findings->facts = cpu_only_;
  if (findings->gpu == nullptr) {
    const std::string line = "CPU only: " + findings->gpu_problem;
    if (cl::driver_hangs() && settings_.device != "none")
      narrator_.always(line.c_str());
    else
      narrator_.once(line);
    return findings;
  }
  if (!findings->passed_over.empty()) narrator_.once("passed over: " + findings->passed_over);
  findings->facts.has_gpu = true;
  findings->facts.learns = settings_.adapt;
  findings->facts.device = findings->gpu->limits();
  findings->facts.sharing = findings->gpu->best_sharing();
  findings->facts.shared_bytes = findings->gpu->sharing().granularity();
  // A CPU device was asked for; who asks for nothing has none.
  if (settings_.standin || !findings->gpu->info().is_cpu)
    LastDevice(settings_).remember(
        {{profile_key(*findings), profile_origin(*findings)}, findings->facts.sharing});
  const auto stored =
      load_profile(settings_.profile_dir, profile_key(*findings), &findings->profile_problem);
  if (stored) {
    use_profile(findings->facts, *stored);
  } else {
    if (!findings->profile_problem.empty()) narrator_.once(findings->profile_problem);
    use_standing_in(findings->facts, settings_.profile_dir,
                    {profile_key(*findings), profile_origin(*findings)});
    narrator_.once(missing_profile_text(findings->facts));
  }
  expect_as_tuned(*findings->gpu, findings->facts);
  return findings;
}

const PlanMachine* Machine::as_last_opened() {
  std::call_once(reading_last_, [this] {
    auto device = LastDevice(settings_).load();
    if (!device) return;
    device->key.cpu = cpu_key();
    last_ = cpu_only_;
    last_->has_gpu = true;
    last_->device = unlimited(device->origin.kind == "cpu");
    last_->sharing = device->sharing;
    std::string problem;
    if (const auto stored = load_profile(settings_.profile_dir, device->key, &problem))
      use_profile(*last_, *stored);
    else
      use_standing_in(*last_, settings_.profile_dir, *device);
  });
  return last_ ? &*last_ : nullptr;
}

std::string Machine::cpu_key() const {
  return topology().cpu_model + " x" + std::to_string(limits_.threads);
}

ProfileKey Machine::profile_key(const Findings& findings) const {
  ProfileKey key;
  if (findings.gpu) {
    key.device = findings.gpu->info().name;
    key.driver = findings.gpu->info().platform + " " + findings.gpu->info().driver_version;
  }
  key.cpu = cpu_key();
  key.standin = settings_.standin;
  return key;
}

ProfileOrigin Machine::profile_origin(const Findings& findings) const {
  if (!findings.gpu) return {};
  const cl::DeviceInfo& info = findings.gpu->info();
  return duoblas::profile_origin(
      {info.name, info.vendor, info.is_cpu, info.native_vector_bytes, info.nvidia_capability});
}

void Machine::adopt(const Profile& profile) {
  Findings* const findings = current_.load();
  if (findings == nullptr) return;
  use_profile(findings->facts, profile);
  if (findings->gpu) expect_as_tuned(*findings->gpu, findings->facts);
}

}  // namespace duoblas
