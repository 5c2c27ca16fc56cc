#include "dropin/engine/program_copy.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>

#include "api/context_engine.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/cpu_limits.hpp"
#include "cpu/far_copy.hpp"
#include "cpu/fork_state.hpp"
#include "dropin/engine/copy_choice.hpp"

namespace duoblas {
namespace {

// Calls of one loop follow each other within a microsecond. What comes after the loop wants the
// cores for itself.
constexpr std::chrono::microseconds between_calls{50};

FarCopy far_copy(const duoblas_copy& call) {
  const std::ptrdiff_t size = call.size;
  return {call.n,
          call.size,
          static_cast<const std::byte*>(call.x),
          call.incx * size,
          static_cast<std::byte*>(call.y),
          call.incy * size};
}

// One caller at a time.
class Copier {
 public:
  explicit Copier(const CpuLimits& limits) : limits_(limits) {}

  bool copies(const duoblas_copy& call) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    const int threads =
        call.threads > 0 ? std::min(call.threads, limits_.threads) : limits_.threads;
    const FarCopy copy = far_copy(call);
    if (threads < 2 || !lie_apart(copy)) return false;
    CopyChoice& choice = choices_.at(class_of(call));
    const bool by_team = choice.next() == CopyChoice::Who::team;
    if (by_team && !has_team()) return false;
    if (!choice.is_timed()) {
      run(copy, by_team, threads);
      choice.note(0);
      return true;
    }
    const auto begun = std::chrono::steady_clock::now();
    run(copy, by_team, threads);
    choice.note(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    return true;
  }

 private:
  static constexpr std::size_t lengths = 64, sizes = 3, places = 3;

  // Calls of about one length, with the same vectors far apart.
  static std::size_t class_of(const duoblas_copy& call) {
    const auto length =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(call.n)));
    const std::size_t size = call.size == 4 ? 0 : call.size == 8 ? 1 : 2;
    const std::size_t place = call.incy == 1 ? 0 : call.incx == 1 ? 1 : 2;
    return (length * sizes + size) * places + place;
  }

  bool has_team() {
    if (!team_) {
      const ScopedAffinity on_cores(limits_.cores);
      team_ = std::make_unique<ThreadTeam>(limits_.threads, between_calls);
    }
    return team_->size() > 1;
  }

  void run(const FarCopy& copy, bool by_team, int threads) {
    if (by_team)
      copy_by_team(copy, *team_, std::min(threads, team_->size()));
    else
      copy_elements(copy, 0, copy.n);
  }

  const CpuLimits limits_;
  std::mutex mutex_;
  std::unique_ptr<ThreadTeam> team_;
  std::array<CopyChoice, (lengths + 1) * sizes * places> choices_;
};

// Never destroyed, because threads may copy until the end.
Copier& copier() {
  static Copier& one = *[] {
    const Settings& settings = ContextEngine::of(Context::process_default()).settings();
    return new Copier(cpu_limits(settings.cpu_cores, settings.cpu_threads));
  }();
  return one;
}

}  // namespace

int copy_for_program(const duoblas_copy* call) noexcept try {
  note_process();
  if (fork_generation() != 0 || is_other_process() || inside_cpu_blas()) return 0;
  return copier().copies(*call) ? 1 : 0;
} catch (const std::exception&) {
  return 0;  // Wrong settings, or short memory: products tell of them.
}

}  // namespace duoblas
