#include "engine/learning.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "engine/background_work.hpp"
#include "engine/caller_blas.hpp"
#include "engine/engine_state.hpp"
#include "opencl/cache_file.hpp"

namespace duoblas {
namespace {

// Everything that the times of calls depend on.
std::string key_of_learned(const Settings& settings, const ProfileKey& key,
                           const std::string& profile) {
  std::string others;
  for (const std::string& part :
       {key.cpu, std::to_string(key.standin), settings.cpu_blas, settings.cpu_cores,
        std::to_string(static_cast<int>(settings.math)), usual_caller_blas()})
    others += '\n' + part;
  if (settings.fixes_plans()) others += "\nranks";
  if (settings.fp64 != Fp64Mode::automatic)
    others += "\nfp64 " + std::to_string(static_cast<int>(settings.fp64));
  return to_text({learned_version(), key.device, key.driver, profile, cl::cache_file_name(others)});
}

// One learner has all types.
bool is_borrowed(const PlanMachine& facts) {
  return facts.is_borrowed() || facts.by_integers.is_borrowed();
}

// One of several ranks of a job has no more: what checks found right changes no result, and does
// not depend on who else uses the device, as others of the job do. Its key is that of ranks only.
bool keeps_evidence_alone(const EngineState& engine) {
  return engine.settings.fixes_plans() && !EngineState::in_child();
}

// The profile of native arithmetic, and that of integers where there is one.
std::string name_of_profiles(const PlanMachine& facts) {
  const auto name = [](const ProfileInUse& tuned) {
    return cl::cache_file_name(tuned.profile ? to_json(*tuned.profile) : std::string());
  };
  return facts.by_integers.profile ? name(facts) + ' ' + name(facts.by_integers) : name(facts);
}

// What a call that was carried out tells the learner.
CallTimes call_times(const Outcome& outcome) {
  const Strategy did = outcome.plan.strategy;
  const SideTimes& times = outcome.times;
  CallTimes took;
  took.whole = times.whole;
  const auto set = [&took](Timed what, double seconds) { took.seconds[place_of(what)] = seconds; };
  if (did == Strategy::cpu) {
    set(Timed::cpu_all, times.whole);
  } else if (did == Strategy::gpu) {
    set(Timed::gpu_alone, times.whole);
  } else {
    set(Timed::gpu_side, times.gpu);
    set(Timed::cpu_side, times.cpu);
    took.gpu_at_most = times.gpu_at_most;
  }
  return took;
}

}  // namespace

bool Learning::is_on() const {
  return engine_.adapts();
}

void Learning::prepare() {
  const PlanMachine& facts = engine_.open().facts;
  const std::lock_guard guard(recalling_);
  if (name_of_profile_.empty()) name_of_profile_ = name_of_profiles(facts);
}

void Learning::recall() {
  if (has_recalled_.load(std::memory_order_acquire)) return;
  const MachineState& machine_state = engine_.open();
  if (!(is_on() || keeps_evidence_alone(engine_)) || !machine_state.facts.has_gpu) return;
  try {
    prepare();
    recall_on(machine_state);
  } catch (const std::bad_alloc&) {
    // This call does without, and the next one tries again.
  }
}

// It may be done again after it has failed half-way.
void Learning::recall_on(const MachineState& machine_state) {
  const std::lock_guard guard(recalling_);
  if (has_recalled_.load(std::memory_order_relaxed)) return;
  const ProfileKey key = engine_.machine.profile_key(machine_state);
  kernel_sources_ = sources_of_kernels(engine_.settings.kernel_dir);
  if (!file_)
    file_ = std::make_unique<LearnedFile>(
        engine_.settings.cache_dir, key_of_learned(engine_.settings, key, name_of_profile_),
        key.device + '\n' + key.driver + '\n' + machine_state.gpu->info().pci_address);
  const std::vector<unsigned char> known = file_->load();
  engine_.checks.restore(known, kernel_sources_);
  if (keeps_evidence_alone(engine_)) return has_recalled_.store(true, std::memory_order_release);
  ways_.restore(known);
  const auto store = [this] { engine_.give([this] { store_now(); }); };
  ways_.tell(store, [this] { return store_now(); });
  learner_.begin_with(known, is_borrowed(machine_state.facts), store);
  has_recalled_.store(true, std::memory_order_release);
}

bool Learning::store_now() {
  if (keeps_evidence_alone(engine_))
    return engine_.checks.counts().checked > 0 &&
           file_->store_beside_others(engine_.checks.kept(kernel_sources_));
  if (file_->is_shared()) return false;
  std::vector<unsigned char> all = learner_.kept();
  for (const auto& part : {ways_.kept(), engine_.checks.kept(kernel_sources_)})
    all.insert(all.end(), part.begin(), part.end());
  return file_->store(all);
}

void Learning::keep() noexcept try {
  if (has_recalled_.load(std::memory_order_acquire)) store_now();
} catch (const std::bad_alloc&) {
  // Later processes do without.
}

Circumstances Learning::circumstances() {
  recall();
  return learner_.circumstances();
}

LearnedTimes Learning::learned(const CallKind& kind, const PlanMachine& facts) {
  LearnedTimes known = learner_.learned(kind, is_borrowed(facts));
  // Beside a compiler every strategy is slow, so nothing is explored.
  if (background_work_is_running()) known.allowance = std::min(known.allowance, 0.0);
  return known;
}

LearnedTimes Learning::learned(const CallKind& kind) {
  recall();
  return learned(kind, engine_.open().facts);
}

// Waiting for kernels, for memory that a driver allocates, or for threads of the CPU BLAS is part
// of starting: it says nothing about later calls. With a GPU 0.65 s of a first call kept all of 80
// shapes on the CPU. On two cores, 33 ms for kernels that PoCL had cached kept whole classes there,
// and 6 ms for OpenBLAS were a third of the budget (bench_gemm shapes --calls 6).
Learning::Call::Call(Learning& learning, const Plan& plan, const Forecast& forecast)
    : learning_(learning),
      forecast_(forecast),
      decided_(plan.strategy),
      expected_(plan.expected_seconds),
      starts_(decided_ == Strategy::cpu ? !learning.cpu_alone_has_run_.exchange(true)
                                        : !learning.gpu_has_run_.load()),
      beside_compiler_(background_work_is_running()),
      scope_(learning.learner_) {}

void Learning::Call::ended(const Outcome& outcome) noexcept {
  const bool beside_compiler = beside_compiler_ || background_work_is_running();
  const bool as_decided = outcome.plan.strategy == decided_ && !outcome.recovered;
  const bool starts = starts_ || (outcome.waited_for_kernels && !beside_compiler);
  if (!as_decided || outcome.check_in_times || outcome.waited_for_memory || starts) return;
  // While a driver compiles for one thread, others wait: calls of 4 ms took 0.14 to 0.2 s each,
  // which says nothing about later ones. The compiler takes a core as well.
  const bool waited = beside_compiler && expected_ > 0 && outcome.times.whole > expected_;
  if (!waited) scope_.note(forecast_, call_times(outcome));
}

}  // namespace duoblas
