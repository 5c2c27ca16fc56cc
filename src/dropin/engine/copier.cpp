#include "dropin/engine/copier.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <utility>

#include <duoblas/error.hpp>

#include "api/context_state.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/cpu_limits.hpp"
#include "cpu/far_copy.hpp"
#include "dropin/engine/call_counts.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

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

// They stay wrong, so no later call needs to ask.
constinit std::atomic<bool> settings_are_wrong{false};

const Settings& settings() {
  return ContextEngine::of(Context::process_default()).settings();
}

// Never destroyed, because threads may copy until the end.
Copier& copier() {
  static Copier& one = *new Copier(
      cpu_limits(settings().cpu_cores, settings().cpu_threads, settings().rank.on_host));
  return one;
}

bool copy_and_count(const duoblas_copy& call) {
  const Stopwatch watch;
  const auto who = copier().copies(call);
  note_copy(call, who, watch.seconds());
  return who.has_value();
}

}  // namespace

int Copier::team_of(int threads) {
  constexpr int many = 12;
  return threads >= many ? threads - 1 : threads;
}

// Nothing is expected of a team before it was seen.
Way Copier::Class::next(double elements) {
  ways.passed(Way::plain, std::exchange(passed, 0));
  const double caller = ways.seen_seconds(Way::plain, elements).value_or(1);
  const WayEstimate both[] = {{Way::plain, caller}, {Way::team, caller}};
  return ways.choose(both, elements).way;
}

// While the caller's thread is faster, one call in so many is timed: what its time rests on may
// change, and so may the team's.
void Copier::Class::saw(Way way, double seconds, double elements) {
  constexpr int untimed = 255;
  ways.observe(way, seconds, elements);
  const auto caller = ways.seen_seconds(Way::plain, 1), team = ways.seen_seconds(Way::team, 1);
  const bool is_caller_faster = caller && team && ways.of(Way::plain).trial != TryCall::goes_on &&
                                *caller <= *team / worthwhile;
  if (way == Way::plain && is_caller_faster) calls_to_pass = untimed;
}

std::optional<Way> Copier::copies(const duoblas_copy& call) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return std::nullopt;
  const int threads =
      team_of(call.threads > 0 ? std::min(call.threads, limits_.threads) : limits_.threads);
  const FarCopy copy = far_copy(call);
  if (threads < 2 || !lie_apart(copy)) return std::nullopt;
  const auto elements = static_cast<double>(call.n);
  Class& known = classes_[class_of(call)];
  if (known.calls_to_pass > 0) {
    --known.calls_to_pass;
    known.passed += elements;
    return std::nullopt;
  }
  const Clock::time_point begun = Clock::now();
  // By now the team would sleep. LAPACK's routines make single copies between calls of BLAS, whose
  // threads want the cores.
  const bool is_first_of_loop = begun - ended_ > between_calls;
  const Way way = is_first_of_loop ? Way::plain : known.next(elements);
  const bool by_team = way == Way::team;
  if (by_team && !has_team(threads)) return std::nullopt;
  if (by_team)
    copy_by_team(copy, *team_, std::min(threads, team_->size()));
  else
    copy_elements(copy, 0, copy.n);
  ended_ = Clock::now();
  const std::chrono::duration<double> took = ended_ - begun;
  if (!is_first_of_loop) known.saw(way, took.count(), elements);
  return way;
}

std::size_t Copier::class_of(const duoblas_copy& call) {
  constexpr std::size_t sizes = 3, places = 3;
  const auto length = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(call.n)));
  const std::size_t size = call.size == 4 ? 0 : call.size == 8 ? 1 : 2;
  const std::size_t place = call.incy == 1 ? 0 : call.incx == 1 ? 1 : 2;
  return (length * sizes + size) * places + place;
}

// Starting a team takes as long as many copies, so a program whose libraries allow different
// numbers of threads gets a smaller team only after a while. But a team that is too large does not
// stay: all of its threads would wake at each call.
bool Copier::has_team(int threads) {
  constexpr int calls_until_smaller = 256;
  for_fewer_ = threads < team_threads_ ? for_fewer_ + 1 : 0;
  if (threads > team_threads_ || for_fewer_ == calls_until_smaller) {
    team_.reset();
    team_threads_ = for_fewer_ = 0;
    const ScopedAffinity on_cores(limits_.cores);
    team_ = std::make_unique<ThreadTeam>(threads, between_calls);
    team_threads_ = threads;
  }
  return team_->size() > 1;
}

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
