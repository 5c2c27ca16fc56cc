#include "engine/narrator.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace duoblas {
namespace {

// Nothing here allocates: what is said of a call must not fail, since C is there.
struct Line {
  char text[400];
  int used = 0;

  template <typename... Values>
  void add(const char* format, Values... values) {
    const auto room = sizeof text - static_cast<std::size_t>(used);
    const int wrote = std::snprintf(text + used, room, format, values...);
    used += std::min(wrote, static_cast<int>(room) - 1);
  }
  void add(std::string_view words) { add("%.*s", static_cast<int>(words.size()), words.data()); }
};

void add_outcome(Line& line, const Outcome& outcome, double flops, std::int64_t extent,
                 Reason reason) {
  const Plan& plan = outcome.plan;
  const SideTimes& times = outcome.times;
  line.add(": ");
  line.add(name(outcome.used_gpu ? plan.strategy : Strategy::cpu));
  line.add(", gpu %" PRId64 " of %" PRId64 " %s", plan.gpu_extent, extent,
           plan.axis == Axis::rows ? "rows" : "columns");
  if (outcome.products > 1) line.add(" of the first of %d products", outcome.products);
  line.add(", %.3f ms", times.whole * 1e3);
  if (outcome.products == 1)
    line.add(" (gpu %s%.3f, cpu %.3f)", times.gpu_at_most ? "<= " : "", times.gpu * 1e3,
             times.cpu * 1e3);
  line.add(", %.1f GFLOPS; ", times.whole > 0 ? flops / times.whole * 1e-9 : 0.0);
  line.add(sentence(reason));
}

}  // namespace

void Narrator::once(const std::string& text) {
  if (verbose_ < 1) return;
  const std::lock_guard guard(mutex_);
  // Texts may name sizes: a program that fails in ever new ways is not worth ever more memory.
  constexpr std::size_t most = 64;
  if (said_.size() < most && said_.insert(text).second)
    std::fprintf(stderr, "duoblas: %s\n", text.c_str());
}

void Narrator::call(const GemmProblem& p, const Outcome& outcome) {
  if (verbose_ < 2) return;
  Line line;
  line.add("duoblas: %cgemm m=%" PRId64 " n=%" PRId64 " k=%" PRId64, letter(p.precision), p.m, p.n,
           p.k);
  add_outcome(line, outcome, flops(p), outcome.plan.axis == Axis::rows ? p.m : p.n,
              outcome.plan.reason);
  std::fprintf(stderr, "%s\n", line.text);
}

void Narrator::call(const Level3Problem& p, const Decision& decision, const Outcome& outcome) {
  if (verbose_ < 2) return;
  Line line;
  line.add("duoblas: %c%s", letter(p.precision), name(p.routine));
  if (updates_triangle(p.routine))
    line.add(" n=%" PRId64 " k=%" PRId64, p.n, p.k);
  else
    line.add(" m=%" PRId64 " n=%" PRId64, p.m, p.n);
  const bool as_decided = outcome.used_gpu == decision.uses_gpu();
  std::int64_t extent = order(p);
  for (const CallStep& step : decision.steps)
    if (const auto* first = std::get_if<PlannedProduct>(&step)) {
      extent = outcome.plan.axis == Axis::rows ? first->problem.m : first->problem.n;
      break;
    }
  add_outcome(line, outcome, flops(p), extent, as_decided ? decision.reason : outcome.plan.reason);
  std::fprintf(stderr, "%s\n", line.text);
}

}  // namespace duoblas
