#include "dropin/engine/program_copy.hpp"

#include <atomic>
#include <exception>

#include <duoblas/error.hpp>

#include "api/context_engine.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/cpu_limits.hpp"
#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/copier.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// They stay wrong, so no later call needs to ask.
constinit std::atomic<bool> settings_are_wrong{false};

const Settings& settings() {
  return ContextEngine::of(Context::process_default()).settings();
}

// Never destroyed, because threads may copy until the end.
Copier& copier() {
  static Copier& one = *new Copier(cpu_limits(settings().cpu_cores, settings().cpu_threads));
  return one;
}

bool copy_and_count(const duoblas_copy& call) {
  const Stopwatch watch;
  const auto who = copier().copies(call);
  note_copy(call, who, watch.seconds());
  return who.has_value();
}

}  // namespace

int copy_for_program(const duoblas_copy* call) noexcept try {
  if (settings_are_wrong.load(std::memory_order_relaxed)) return 0;
  note_process();
  if (fork_generation() != 0 || is_other_process() || inside_cpu_blas()) return 0;
  static const bool counts = settings().summary;
  return (counts ? copy_and_count(*call) : copier().copies(*call).has_value()) ? 1 : 0;
} catch (const SettingError&) {
  settings_are_wrong.store(true, std::memory_order_relaxed);
  return 0;  // products tell of them
} catch (const std::exception&) {
  return 0;  // short memory
}

}  // namespace duoblas
