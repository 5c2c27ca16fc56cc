#include "engine/logger.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <new>

namespace duoblas {
namespace {

// Nothing here allocates: C is complete, so describing the call must not fail.
struct Line {
  char text[600];
  int used = 0;

  template <typename First, typename... Rest>
  void add(const char* format, First first, Rest... rest) {
    const auto room = sizeof text - static_cast<std::size_t>(used);
    const int wrote = std::snprintf(text + used, room, format, first, rest...);
    used += std::min(wrote, static_cast<int>(room) - 1);
  }
  void add(std::string_view words) { add("%.*s", static_cast<int>(words.size()), words.data()); }
};

// "gpu 96 of 256 rows", for the product of the outcome's plan.
void add_share(Line& line, const Plan& plan, std::int64_t m, std::int64_t n) {
  const bool rows = plan.axis == Axis::rows;
  line.add("gpu %" PRId64 " of %" PRId64 " %s", plan.gpu_extent, rows ? m : n,
           rows ? "rows" : "columns");
}

// By the cost model, where it has both.
void add_estimates(Line& line, const Plan& whole) {
  if (whole.expected_seconds > 0 && whole.cpu_only_seconds > 0)
    line.add(" (expected %.3f with the device, %.3f by the CPU alone)",
             whole.expected_seconds * 1e3, whole.cpu_only_seconds * 1e3);
}

// The milliseconds of the call and, where they have ended apart, of its sides.
void add_sides(Line& line, const SideTimes& times) {
  line.add(", %.3f ms (gpu %s%.3f, cpu %.3f)", times.whole * 1e3, times.gpu_at_most ? "<= " : "",
           times.gpu * 1e3, times.cpu * 1e3);
}

// `rate`: per second, in units of 1e9.
void print(Line& line, double seconds, double work, const char* rate, Reason reason) {
  line.add(", %.1f %s; ", seconds > 0 ? work / seconds * 1e-9 : 0.0, rate);
  line.add(sentence(reason));
  std::fprintf(stderr, "%s\n", line.text);
}

Reason reason_of(const Decision& decision, const Outcome& outcome) {
  return outcome.used_gpu == decision.uses_gpu() ? decision.reason : outcome.plan.reason;
}

// In milliseconds; the times overlap.
void add_times(Line& line, const Outcome& outcome) {
  const Level3Times& job = outcome.job_times;
  if (job.whole <= 0) return;
  line.add(" (gpu %.3f: all enqueued by %.3f, copied in %.3f; kernels %.3f, packing %.3f; ",
           job.whole * 1e3, job.sent * 1e3, job.operand_copies * 1e3, job.kernels * 1e3,
           job.packing * 1e3);
  line.add("results copied in %.3f; diagonal blocks %.3f; cpu by %.3f)", job.result_copies * 1e3,
           job.blocks * 1e3, outcome.times.cpu * 1e3);
}

Strategy who_has(const DeviceCall& job) {
  return job.gpu_extent < divided_extent(job.problem) ? Strategy::hybrid : Strategy::gpu;
}

}  // namespace

void Logger::once(std::string_view text, std::string_view more) noexcept try {
  if (verbose_ < 1) return;
  std::string line(text);
  line += more;
  const std::lock_guard guard(mutex_);
  // Texts may contain sizes. A program that fails with ever new texts must not take ever more
  // memory.
  constexpr std::size_t most = 64;
  if (said_.size() < most && said_.insert(line).second)
    std::fprintf(stderr, "duoblas: %s\n", line.c_str());
} catch (const std::bad_alloc&) {
  // As declared.
}

void Logger::always(const char* text) noexcept {
  if (!said_always_.exchange(true)) std::fprintf(stderr, "duoblas: %s\n", text);
}

void Logger::wrong_result(const char* text) noexcept {
  std::fprintf(stderr, "duoblas: %s\n", text);
}

void Logger::call(const GemmProblem& p, const Outcome& outcome) {
  if (verbose_ < 2) return;
  Line line;
  line.add("duoblas: %cgemm m=%" PRId64 " n=%" PRId64 " k=%" PRId64 ": ", letter(p.precision), p.m,
           p.n, p.k);
  line.add(name(outcome.plan.strategy));
  line.add(", ");
  add_share(line, outcome.plan, p.m, p.n);
  add_sides(line, outcome.times);
  print(line, outcome.times.whole, flops(p), "GFLOPS", outcome.plan.reason);
}

void Logger::call(const GemvProblem& p, const Outcome& outcome) noexcept try {
  if (verbose_ < 2) return;
  Line line;
  line.add("duoblas: %s: ", text_of(p).c_str());
  line.add(name(outcome.plan.strategy));
  line.add(", gpu %" PRId64 " of %" PRId64 " outputs", outcome.plan.gpu_extent, p.outputs());
  add_sides(line, outcome.times);
  print(line, outcome.times.whole, traffic_bytes(p), "GB/s", outcome.plan.reason);
} catch (const std::bad_alloc&) {
  // The outputs are there.
}

// "sgemm x 1000 m=64 n=64 k=64"; if shapes differ, the one with most of the work.
void Logger::call(const BatchProblem& batch, const Outcome& outcome) {
  const BatchGroup* most = batch.largest();
  if (verbose_ < 2 || most == nullptr) return;
  Line line;
  line.add("duoblas: %cgemm x %" PRId64 "%s m=%" PRId64 " n=%" PRId64 " k=%" PRId64 ": ",
           letter(batch.precision), outcome.batch_products,
           batch.groups.size() > 1 ? ", most of" : "", most->shape.m, most->shape.n, most->shape.k);
  line.add(name(outcome.plan.strategy));
  line.add(", gpu in %" PRId64 " of %" PRId64 " products", outcome.gpu_products,
           outcome.batch_products);
  add_sides(line, outcome.times);
  print(line, outcome.times.whole, flops(batch), "GFLOPS", outcome.plan.reason);
}

void Logger::call(const Level3Problem& p, const Decision& decision, const Outcome& outcome) {
  if (verbose_ < 2) return;
  Line line;
  line.add("duoblas: %c%s", letter(p.precision), name(p.routine));
  if (updates_triangle(p.routine))
    line.add(" n=%" PRId64 " k=%" PRId64 ": ", p.n, p.k);
  else
    line.add(" m=%" PRId64 " n=%" PRId64 ": ", p.m, p.n);
  if (const DeviceCall* job = first_of<DeviceCall>(decision.steps)) {
    line.add(outcome.used_gpu ? name(who_has(*job)) : "cpu");
    line.add(", gpu %" PRId64 " of %" PRId64 " lines in ", job->gpu_extent,
             divided_extent(job->problem));
    if (decision.steps.size() == 1)
      line.add("one job");
    else
      line.add("the first job, of %d steps that the device has memory for", outcome.products);
  } else if (const PlannedProduct* first = first_of<PlannedProduct>(decision.steps)) {
    line.add(outcome.used_gpu ? "hybrid, " : "cpu, ");
    add_share(line, outcome.plan, first->problem.m, first->problem.n);
    line.add(" in the first of %d products", outcome.products);
  } else {
    line.add("cpu");
  }
  line.add(", %.3f ms", outcome.times.whole * 1e3);
  add_times(line, outcome);
  print(line, outcome.times.whole, flops(p), "GFLOPS", reason_of(decision, outcome));
}

void Logger::call(const LapackProblem& p, const Decision& decision, const Outcome& outcome) {
  if (verbose_ < 2) return;
  Line line;
  line.add("duoblas: %s", name(p.routine, p.precision).c_str());
  if (p.routine == LapackRoutine::getrf || is_orthogonal(p.routine)) line.add(" m=%" PRId64, p.m);
  line.add(" n=%" PRId64, p.n);
  if (p.routine == LapackRoutine::orgqr)
    line.add(" k=%" PRId64, p.reflectors);
  else if (has_right_sides(p.routine) ||
           (is_orthogonal(p.routine) && p.routine != LapackRoutine::geqrf))
    line.add(" k=%" PRId64, p.right_sides);
  line.add(outcome.used_gpu ? ": hybrid" : ": cpu");
  if (const PlannedProduct* first = first_of<PlannedProduct>(decision.steps))
    line.add(", gpu %" PRId64 " of %" PRId64 " columns in the first of %d updates",
             first->problem.m, p.n, outcome.products);
  else if (decision.uses_gpu())
    line.add(", gpu %" PRId64 " of %" PRId64 " columns in one job", p.n, p.n);
  else if (outcome.used_gpu) {  // solves, whose products level 3 divided
    line.add(", ");
    add_share(line, outcome.plan, p.n, p.n);
    line.add(" in the first of %d products", outcome.products);
  }
  line.add(", %.3f ms", outcome.times.whole * 1e3);
  add_estimates(line, decision.plan);
  print(line, outcome.times.whole, flops(p), "GFLOPS", reason_of(decision, outcome));
}

}  // namespace duoblas
