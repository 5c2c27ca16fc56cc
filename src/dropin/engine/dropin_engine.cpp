// The drop-in's way into the engine: a call is decided at its root, and left to the program's own
// BLAS where that is as good.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include <duoblas/export.hpp>

#include "api/context_state.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/cpu_limits.hpp"
#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/call_limits.hpp"
#include "dropin/engine/calls_before_start.hpp"
#include "dropin/engine/copier.hpp"
#include "dropin/engine/device_start.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/background_work.hpp"
#include "engine/caller_blas.hpp"
#include "engine/cpu_blas.hpp"
#include "engine/dropin_opening.hpp"
#include "engine/listed_program.hpp"
#include "level3/blocked_level3.hpp"
#include "os/fork_state.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

using Answer = duoblas_answer;

// Ends the program, because the next symbol needs its arguments as the caller gave them. Returns
// where they are so: a call of LAPACK that finds no memory has written nothing.
void end_if_half_done(const ProgramCall& problem, const std::exception& error) {
  const bool lacks_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  // Of a level-3 call whose leading dimension exceeds 32 bits a part may be written.
  if (lacks_memory && std::holds_alternative<ProgramLapack>(problem)) return;
  std::fprintf(stderr, "duoblas: a product cannot be finished: %s\n", error.what());
  std::abort();
}

// \throws std::bad_alloc, if a call of LAPACK finds none: it has written nothing then.
void finish(Engine& engine, const duoblas_blas_call& call, const ProgramCall& problem,
            Decision&& decision) {
  try {
    const Outcome outcome = carry_out(engine, problem, std::move(decision));
    if (engine.settings().summary && call.is_nested == 0) note_done(call, outcome);
    remember_call(outcome);
  } catch (const std::exception& error) {
    end_if_half_done(problem, error);
    throw;
  }
  keep_work(engine);
}

Engine& engine() {
  return ContextEngine::of(Context::process_default());
}

// Wrong settings are reported at every verbosity, because the user has no other way to learn of
// them.
void say_once(const char* what) {
  static constinit std::atomic_flag said;
  if (!said.test_and_set()) std::fprintf(stderr, "duoblas: the CPU does every product: %s\n", what);
}

// A fork that began before our handlers were registered leaves locked mutexes, and calls no
// handler.
bool in_forked_child() {
  note_process();
  return fork_generation() != 0 || is_other_process();
}

Answer passed_on(const Engine& engine, const duoblas_blas_call& call, Reason why) {
  // With fewer threads its BLAS may give other bits.
  if (engine.settings().fixes_plans()) return DUOBLAS_PASSED_ON;
  const bool begins = why == Reason::kernels_building || why == Reason::device_starting;
  return should_spare_a_core(engine.outlays(), call, begins) ? DUOBLAS_RESERVES_CORE
                                                             : DUOBLAS_PASSED_ON;
}

// What to do at the end of this thread's call, which the program's BLAS does: before the device is
// open, when the start is decided by some of these; while it starts; and later, with all cores or
// with one less, when its time tells nothing.
enum class Ends { nothing, early, starting, timed, spared };
constinit thread_local Ends ends = Ends::nothing;
constinit thread_local CallLearner::CallInProgress timed_here;
constinit thread_local bool is_usual_call = false;

void begin_call(Engine& engine, Ends what) {
  ends = what;
  is_usual_call = unusual_caller_blas() == 0;
  timed_here = engine.learning().learner().begin();
}

// A call that this thread never ended: the program left it by longjmp or by an exception, or it
// became the BLAS's call of another name.
void end_left_call(Engine& engine) {
  if (std::exchange(ends, Ends::nothing) != Ends::nothing)
    engine.learning().learner().end(timed_here);
}

// Computes the first rows, to time a strategy; the program's BLAS then does the others.
Answer first_rows(Engine& engine, duoblas_blas_call& call, const GemmProblem& problem,
                  Decision&& decision) {
  const auto [first, others] = decision.plan.parts(problem);
  decision.plan = decision.plan.of_first_part(problem);
  duoblas_blas_call part = call;
  keep_rows(part, first);
  finish(engine, part, first, std::move(decision));
  keep_rows(call, others);
  return DUOBLAS_REST;
}

// Exceptions are thrown before anything is written.
Answer answer(Engine& engine, duoblas_blas_call& call, Reason& reason) {
  if (const auto known = remembered_reason(engine, call)) {
    reason = *known;
    return passed_on(engine, call, reason);
  }
  const ProgramCall problem = program_call(call);
  Decision decision = decide(engine, call, problem);
  reason = decision.reason;
  if (decision.who == Who::programs_blas) {
    const Answer answer = passed_on(engine, call, reason);
    const bool is_spared = answer == DUOBLAS_RESERVES_CORE;
    if (!is_spared && !begin_timed(engine, problem, decision)) return answer;
    begin_call(engine, is_spared ? Ends::spared : Ends::timed);
    return is_spared ? answer : DUOBLAS_TIMED;
  }
  if (const auto* gemm = std::get_if<GemmProblem>(&problem)) {
    engine.cpu().prepare(decision.plan.cpu);
    if (decision.plan.entry_rows > 0) return first_rows(engine, call, *gemm, std::move(decision));
  }
  finish(engine, call, problem, std::move(decision));
  return DUOBLAS_DONE;
}

// The part of a memory-bound call's time that the device would save, before it is open. On an
// unknown machine it is zero, since most devices cannot help there; but a number from the user is
// used.
double promised_gain_of_stream(Engine& engine, const duoblas_blas_call& call) {
  const auto promised =
      engine.plans().promised_gain_of_gemv(static_cast<Precision>(call.precision));
  if (program_outlays(engine).is_told()) return promised == 0.0 ? 0 : 1;
  return promised.value_or(0);
}

// The program's own BLAS does calls until the device is open. Nothing: it is, or the caller asked
// for a strategy, and waits for it.
std::optional<Answer> answer_before_device(Engine& e, const duoblas_blas_call& call,
                                           Reason& reason) {
  if (!e.plans().request().chooses_by_speed()) return std::nullopt;
  if (e.settings().fixes_plans()) {
    make_rank_ready(e);
    return std::nullopt;
  }
  if (!device_is_open() && is_stream(call.routine) && promised_gain_of_stream(e, call) <= 0) {
    // Such calls pass on from now on, unless another call opens a device.
    limit_streams(e);
    reason = e.plans()
                 .why_never_stream(static_cast<Precision>(call.precision))
                 .value_or(Reason::too_little_work_yet);
    return DUOBLAS_PASSED_ON;
  }
  const auto promise = [&e](const GemmProblem& product) {
    return e.plans().promised_gain(product);
  };
  const auto product = is_stream(call.routine) ? std::nullopt : std::optional(product_of(call));
  if (!program_outlays(e).start_pays(promise, product)) {
    reason = Reason::too_little_work_yet;
    begin_call(e, Ends::early);
    note_before_start(call);
    return DUOBLAS_TIMED;
  }
  if (opened_in_background(e, make_ready)) return std::nullopt;
  reason = Reason::device_starting;
  note_before_start(call);
  const Answer answer = passed_on(e, call, reason);
  begin_call(e, Ends::starting);
  return answer == DUOBLAS_RESERVES_CORE ? answer : DUOBLAS_TIMED;
}

Answer answer_if_ready(duoblas_blas_call& call, Reason& reason) noexcept {
  reason = Reason::forked_child;
  if (in_forked_child() || inside_cpu_blas()) {
    ends = Ends::nothing;
    return DUOBLAS_PASSED_ON;
  }
  try {
    Engine& e = engine();
    end_left_call(e);
    const ScopedThreadBound as_the_program_allows(call.threads);
    const ScopedCallerBlas beside({call.library, call.threads});
    if (const auto early = answer_before_device(e, call, reason)) return *early;
    return answer(e, call, reason);
  } catch (const SettingError& error) {
    // The settings stay wrong, so no later call needs to ask.
    reason = Reason::wrong_settings;
    leave_everything(reason);
    say_once(error.what());
  } catch (const CpuBlasError& error) {
    reason = Reason::no_cpu_blas;
    say_once(error.what());
  } catch (const std::exception& error) {
    reason = Reason::short_memory;
    say_once(error.what());
  }
  return DUOBLAS_PASSED_ON;
}

int run(duoblas_blas_call* call, int* number) noexcept {
  Reason reason;
  const Answer answer = answer_if_ready(*call, reason);
  *number = static_cast<int>(reason);
  if (answer != DUOBLAS_DONE) remember_passed_on(reason);
  return answer;
}

// A memory-bound call is not worth opening a device for.
Decision decided_anywhere(Engine& engine, const GemvProblem& gemv) {
  Decision decision;
  if (engine.plans().request().chooses_by_speed() && !device_is_open())
    decision.plan = engine.plans().cpu_alone(
        gemv.precision,
        engine.plans().why_never_stream(gemv.precision).value_or(Reason::too_little_work_yet));
  else
    decision = engine.decide(gemv);
  require_on_cpu(engine, VectorRoutine::gemv, gemv.precision);
  return decision;
}

int run_anywhere(const duoblas_blas_call* call) noexcept {
  if (inside_cpu_blas() || is_lapack(call->routine)) return 0;
  try {
    Engine& e = engine();
    const ProgramCall problem = program_call(*call);
    Decision decision;
    if (const auto* gemv = std::get_if<GemvProblem>(&problem)) {
      if (is_empty(*gemv)) return 1;
      decision = decided_anywhere(e, *gemv);
    } else if (const auto* gemm = std::get_if<GemmProblem>(&problem)) {
      decision = e.decide(*gemm);
      e.cpu().prepare(decision.plan.cpu);
    } else {
      const auto& level3_problem = std::get<Level3Problem>(problem);
      require_on_cpu(e, level3_problem.routine, level3_problem.precision);
      decision = decide(e, level3_problem);
    }
    finish(e, *call, problem, std::move(decision));
    return 1;
  } catch (const std::exception& error) {
    say_once(error.what());
  }
  return 0;
}

// The reason for which the engine was not asked.
Reason reason_of(const duoblas_blas_call& call, int number) {
  if (number >= 0) return static_cast<Reason>(number);
  if (number == DUOBLAS_ILLEGAL_CALL) return Reason::illegal_argument;
  if (number == DUOBLAS_UNKNOWN_INTEGERS) return Reason::unknown_integers;
  if (number == DUOBLAS_TOO_EARLY) return Reason::too_little_work_yet;
  try {
    return why_below_limit(call, engine);
  } catch (const SettingError& error) {
    say_once(error.what());
    leave_everything(Reason::wrong_settings);
    return Reason::wrong_settings;
  } catch (const std::exception&) {
    return Reason::short_memory;
  }
}

bool is_told_of(const duoblas_blas_call& call) {
  return flops(call) >= flops_to_open(call.routine, static_cast<Precision>(call.precision));
}

// Calls of our own CPU BLAS are parts of other calls.
void note_programs_call(const duoblas_blas_call* call, int number, int telling) noexcept {
  if (in_forked_child() || inside_cpu_blas()) return;
  const Reason reason = reason_of(*call, number);
  remember_passed_on(reason);
  if ((telling & DUOBLAS_COUNTS) != 0) note_passed_on(*call, reason);
  if ((telling & DUOBLAS_SAYS) != 0 && is_told_of(*call)) say_passed_on(*call, reason);
}

// Once the device is open, what a call has missed is in the account.
void add_to_account(Engine& engine, const duoblas_blas_call& call, double seconds, bool is_open) {
  Outlays& outlays = program_outlays(engine);
  if (is_open)
    outlays.add_without(is_stream(call.routine) ? other_calls : account_class(product_of(call)),
                        seconds);
  else if (is_stream(call.routine))
    outlays.add(promised_gain_of_stream(engine, call), seconds);
  else
    outlays.add(product_of(call), seconds);
}

void note_seconds(const duoblas_blas_call* call, double seconds) noexcept try {
  if (in_forked_child()) return;
  const Ends what = std::exchange(ends, Ends::nothing);
  if (what == Ends::nothing) return;
  Engine& e = engine();
  const bool contended = e.learning().learner().end(timed_here);
  if (what == Ends::timed) return end_timed(e, seconds, contended);
  if (!std::isfinite(seconds)) return;
  add_to_account(e, *call, seconds, what == Ends::spared);
  keep_work(e);
  if (what == Ends::spared || !is_usual_call || contended) return;
  if (what == Ends::early) note_before_device(e, *call, seconds);
  if (call->routine != DUOBLAS_GEMM) return;
  calls_before_start().add(product_of(*call), seconds, what == Ends::starting);
  if (device_is_open() && e.learning().is_on()) calls_before_start().tell(e);
} catch (const std::exception&) {
  // Memory is short: this call is not learned.
}

// A run that ends without a word, or in the driver, does not start the next one so. Ranks stay on
// the list: all of them would write it at once.
void begin() noexcept try {
  if (in_forked_child()) return;
  Engine& e = engine();
  const bool is_rank = e.settings().fixes_plans();
  if (!is_rank) list_program(e.settings().cache_dir, false);
  if (!e.plans().request().chooses_by_speed() ||
      !(is_rank || program_outlays(e).start_pays_at_begin()))
    return;
  opened_in_background(e, make_ready);
} catch (const std::exception&) {
  // The first call tells.
}

void note_this_program(const duoblas_program* program) noexcept {
  note_program(program);
  if (program->main_waits != 0) note_that_main_exit_waits();
}

constinit const struct duoblas_dropin_engine table = {DUOBLAS_ENGINE_VERSION,
                                                      run,
                                                      call_limits,
                                                      run_anywhere,
                                                      note_programs_call,
                                                      note_seconds,
                                                      copy_for_program,
                                                      note_this_program,
                                                      begin,
                                                      end_background_work};

}  // namespace
}  // namespace duoblas

extern "C" DUOBLAS_API const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void) {
  duoblas::look_for_device_from_there_on();
  return &duoblas::table;
}
