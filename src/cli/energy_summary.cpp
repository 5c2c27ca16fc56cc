#include "cli/energy_summary.hpp"

#include <ostream>
#include <string>

#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "planner/least_cost_strategy.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

std::string joules_text(double joules) {
  return joules > 0 ? significant(joules, 3) + " J" : "-";
}

std::string strategy_text(Strategy strategy) {
  switch (strategy) {
    case Strategy::cpu: return "CPU";
    case Strategy::gpu: return "GPU";
    default: return "both";
  }
}

}  // namespace

void print_energy_summary(const Profile& profile, std::ostream& out) {
  using enum TextTable::Align;
  TextTable table({{"joules of a call"},
                   {"cpu_all", right},
                   {"gpu", right},
                   {"simple", right},
                   {"hybrid", right},
                   {"p_g/P", right},
                   {"best"}});
  const TunedPoint* last = nullptr;
  for (const TunedPoint& point : profile.points) {
    if (point.goal == Goal::throughput) continue;
    last = &point;
    table.add({tuning_case_of(point), joules_text(point.cpu_all_joules),
               joules_text(point.gpu.joules), joules_text(point.simple.joules),
               joules_text(point.hybrid.joules), share_text(point.hybrid.share),
               strategy_text(least_cost_strategy(point))});
  }
  if (last == nullptr) return;
  table.print(out);
  out << "Tuned for " << name(last->goal) << "; the joules are those of "
      << printable(last->joules_of) << ".\n";
}

}  // namespace duoblas::cli
