#include <duoblas/context.hpp>

#include <sstream>
#include <utility>

#include "hybrid/engine.hpp"
#include "problem/caller_gemm.hpp"

namespace duoblas {
namespace {

// The reason is kept as the static text it is: a std::string would be allocated in every call.
struct LastCall {
  Plan plan;
  bool recovered = false;
  double seconds = 0;
};

LastCall& last_call_of_thread() {
  thread_local LastCall last;
  return last;
}

void remember(const CallReport& report) {
  auto& last = last_call_of_thread();
  last.plan = report.plan;
  last.recovered = report.recovered;
  last.seconds = report.times.whole;
}

}  // namespace

struct Context::State {
  explicit State(const Settings& settings) : engine(settings) {}
  Engine engine;
};

Context::Context(const Settings& settings) : state_(std::make_unique<State>(settings)) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

// Never destroyed: at exit other threads may still compute, and OpenCL may be gone already.
Context& Context::process_default() {
  static Context* const context = new Context();
  return *context;
}

template <typename T>
void Context::gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                   Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                   Scalar<T> beta, T* c, std::int64_t ldc) {
  CallerGemm call{layout, {}};
  call.args = {precision_of<T>,
               op_a,
               op_b,
               m,
               n,
               k,
               std::complex<double>(alpha),
               a,
               lda,
               b,
               ldb,
               std::complex<double>(beta),
               c,
               ldc};
  check(call);
  remember(state_->engine.run(to_row_major(call)));
}

template void Context::gemm<float>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, float,
                                   const float*, std::int64_t, const float*, std::int64_t, float,
                                   float*, std::int64_t);
template void Context::gemm<double>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t,
                                    double, const double*, std::int64_t, const double*,
                                    std::int64_t, double, double*, std::int64_t);
template void Context::gemm<std::complex<float>>(Layout, Op, Op, std::int64_t, std::int64_t,
                                                 std::int64_t, std::complex<float>,
                                                 const std::complex<float>*, std::int64_t,
                                                 const std::complex<float>*, std::int64_t,
                                                 std::complex<float>, std::complex<float>*,
                                                 std::int64_t);
template void Context::gemm<std::complex<double>>(Layout, Op, Op, std::int64_t, std::int64_t,
                                                  std::int64_t, std::complex<double>,
                                                  const std::complex<double>*, std::int64_t,
                                                  const std::complex<double>*, std::int64_t,
                                                  std::complex<double>, std::complex<double>*,
                                                  std::int64_t);

void Context::set_split(std::optional<Share> split) {
  if (split && !is_valid(*split)) {
    throw SettingError("a split of " + std::to_string(split->gpu_parts) + "/" +
                       std::to_string(split->parts) +
                       " is not possible: give p_g/P with 1 <= P <= 1024 and 0 <= p_g <= P");
  }
  state_->engine.set_split(split);
}

CallSummary Context::last_call() {
  const auto& last = last_call_of_thread();
  CallSummary summary;
  summary.strategy = last.plan.strategy;
  summary.share = last.plan.share;
  summary.gpu_rows = last.plan.gpu_extent;
  summary.by_columns = last.plan.axis == Axis::columns;
  summary.recovered = last.recovered;
  summary.seconds = last.seconds;
  summary.reason = std::string(last.plan.reason);
  return summary;
}

std::string Context::describe() {
  Engine& engine = state_->engine;
  std::ostringstream text;
  const PlanMachine& machine = engine.machine();
  text << "CPU: " << engine.cpu().description(machine.cpu_all) << '\n';
  if (const GpuSide* gpu = engine.gpu()) {
    text << "GPU: " << gpu->info().name << (engine.settings().standin ? " (stand-in)" : "") << '\n';
    text << "memory: " << name(gpu->best_sharing()) << '\n';
    text << "profile: ";
    if (machine.profile) {
      text << machine.profile->points.size() << " tuned shapes, " << machine.profile->created;
    } else {
      text << (engine.profile_problem().empty() ? "none; run 'duoblas tune'"
                                                : engine.profile_problem());
    }
    text << '\n';
  } else {
    text << "GPU: none (" << engine.gpu_problem() << ")\n";
  }
  return text.str();
}

}  // namespace duoblas
