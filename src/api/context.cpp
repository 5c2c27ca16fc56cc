#include <duoblas/context.hpp>

#include <atomic>
#include <type_traits>
#include <utility>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "kernel_space/classic_text.hpp"
#include "os/cancellation_disabled.hpp"
#include "problem/caller_gemm.hpp"

namespace duoblas {
namespace {

// Nothing that needs a destructor: static destructors of the program may multiply after those of
// the thread's variables have run.
struct LastCall {
  Strategy strategy = Strategy::cpu;
  Share share;
  std::int64_t gpu_extent = 0;
  Axis axis = Axis::rows;
  Reason reason = Reason::none;
  bool recovered = false;
  double seconds = 0;
  std::int64_t products = 1, gpu_products = 0;
  bool passed_on = false;
};
static_assert(std::is_trivially_destructible_v<LastCall>);

constinit thread_local LastCall last;

}  // namespace

void remember_call(const Outcome& outcome) {
  const Plan& plan = outcome.plan;
  last = {plan.strategy, plan.share,        plan.gpu_extent,    plan.axis,
          plan.reason,   outcome.recovered, outcome.times.whole};
  if (outcome.batch_products == 0) return;
  last.products = outcome.batch_products;
  last.gpu_products = outcome.gpu_products;
}

void remember_passed_on(Reason reason) noexcept {
  last = {};
  last.reason = reason;
  last.passed_on = true;
}

Engine& ContextEngine::of(Context& context) {
  return context.state_->engine;
}

Context::Context(const Settings& settings) {
  const CancellationDisabled whole_call;
  state_ = std::make_unique<State>(settings);
}
Context::~Context() {
  const CancellationDisabled whole_call;
  state_.reset();
}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&& other) noexcept {
  const CancellationDisabled whole_call;  // an engine may end
  state_ = std::move(other.state_);
  return *this;
}

// Never destroyed: at exit other threads may still compute, and OpenCL may be gone already.
Context& Context::process_default() {
  // Not a static with an initialiser: a fork in the middle of that leaves its guard locked in the
  // child. Threads that come first together make one each, and all but one are thrown away.
  static constinit std::atomic<Context*> published{nullptr};
  if (Context* context = published.load(std::memory_order_acquire)) return *context;
  const CancellationDisabled whole_call;
  auto mine = std::make_unique<Context>();
  Context* first = nullptr;
  if (published.compare_exchange_strong(first, mine.get())) return *mine.release();
  return *first;
}

template <typename T>
void Context::gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                   Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                   Scalar<T> beta, T* c, std::int64_t ldc) {
  const CancellationDisabled whole_call;
  const CallerGemm call =
      caller_gemm<T>(layout, op_a, op_b, {m, n, k}, alpha, {a, lda}, {b, ldb}, beta, {c, ldc});
  check(call);
  remember_call(state_->engine.run(to_row_major(call)));
}

template <typename T>
Job Context::gemm_async(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                        std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda, const T* b,
                        std::int64_t ldb, Scalar<T> beta, T* c, std::int64_t ldc) {
  const CancellationDisabled whole_call;
  const CallerGemm call =
      caller_gemm<T>(layout, op_a, op_b, {m, n, k}, alpha, {a, lda}, {b, ldb}, beta, {c, ldc});
  check(call);
  return Job(state_->jobs.start(
      [&engine = state_->engine, problem = to_row_major(call)] { return engine.run(problem); }));
}

#define DUOBLAS_GEMM_OF(T)                                                                         \
  template void Context::gemm<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>, const T*, Size,      \
                                 const T*, Size, Scalar<T>, T*, Size);                             \
  template Job Context::gemm_async<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>, const T*, Size, \
                                      const T*, Size, Scalar<T>, T*, Size)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_GEMM_OF);
#undef DUOBLAS_GEMM_OF

void Context::set_split(std::optional<Share> split) {
  if (split && !is_valid(*split)) {
    throw SettingError("a split of " + std::to_string(split->gpu_parts) + "/" +
                       std::to_string(split->parts) +
                       " is not possible: give p_g/P with 1 <= P <= 1024 and 0 <= p_g <= P");
  }
  state_->engine.plans().set_split(split);
}

void Context::set_strategy(Strategy strategy) {
  state_->engine.plans().set_strategy(strategy);
}

void Context::set_math(MathMode math) {
  state_->engine.plans().set_math(math);
}

void Context::set_check(CheckMode check) {
  state_->engine.checks().set_mode(check);
}

CallSummary Context::last_call() {
  CallSummary summary;
  summary.strategy = last.strategy;
  summary.share = last.share;
  summary.gpu_rows = last.gpu_extent;
  summary.by_columns = last.axis == Axis::columns;
  summary.products = last.products;
  summary.gpu_products = last.gpu_products;
  summary.recovered = last.recovered;
  summary.seconds = last.seconds;
  summary.reason = std::string(sentence(last.reason));
  summary.passed_on = last.passed_on;
  return summary;
}

std::string Context::describe() {
  const CancellationDisabled whole_call;
  Engine& engine = state_->engine;
  ClassicText text;
  const PlanMachine& machine = engine.machine();
  text << "CPU: " << engine.cpu().description(machine.cpu_all_for(Precision::d)) << '\n';
  if (const GpuSide* gpu = engine.gpu()) {
    text << "GPU: " << gpu->info().name << (engine.settings().standin ? " (stand-in)" : "") << '\n';
    text << "memory: " << name(gpu->best_sharing()) << '\n';
    const std::string problem = engine.facts().profile_problem();
    for (const Arithmetic arithmetic : arithmetics_of(machine.device)) {
      const ProfileInUse& tuned = machine.tuned(arithmetic);
      text << (arithmetic == Arithmetic::native ? "profile: " : "profile of doubles by integers: ");
      if (tuned.is_tuned()) {
        text << tuned.profile->points.size() << " tuned shapes, " << tuned.profile->created;
      } else {
        text << (problem.empty() ? "none; run 'duoblas tune'" : problem);
        if (tuned.profile) text << "; that of " << title(*tuned.profile) << " stands in";
      }
      text << '\n';
    }
  } else {
    text << "GPU: none (" << engine.facts().gpu_problem() << ")\n";
  }
  return text.str();
}

}  // namespace duoblas
