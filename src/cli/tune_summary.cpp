#include "cli/tune_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_params.hpp"
#include "planner/point_timings.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

// Two tables of these many rows and the text below fit a page.
constexpr std::size_t kFew = 10;
constexpr std::size_t kShownOfMany = 6;
constexpr std::size_t kLineWidth = 88;

using Points = std::vector<const TunedPoint*>;

// The points whose co-tuned hybrid differs most from the simple one, in the profile's order.
Points most_different(const Profile& profile, std::size_t count) {
  Points points;
  for (const TunedPoint& p : profile.points) points.push_back(&p);
  if (points.size() <= count) return points;
  const auto difference = [](const TunedPoint* p) {
    const double gain = co_tuning_gain(*p);
    return gain > 0 ? std::abs(std::log(gain)) : -1;
  };
  std::ranges::stable_sort(points, std::ranges::greater(), difference);
  points.resize(count);
  std::ranges::sort(points);
  return points;
}

void print_winners(const Points& points, std::ostream& out) {
  using enum TextTable::Align;
  TextTable table({{"tuned"}, {"fastest"}, {"time", right}, {"p_g/P", right}, {"kernel"}});
  for (const TunedPoint* p : points) {
    switch (fastest_strategy(*p)) {
      case Fastest::cpu:
        table.add({tuning_case_of(*p), "CPU", duration(p->cpu_all_seconds), "0", "-"});
        break;
      case Fastest::gpu:
        table.add(
            {tuning_case_of(*p), "GPU", duration(p->gpu.seconds), "all", describe(p->gpu.kernel)});
        break;
      case Fastest::both:
        table.add({tuning_case_of(*p), "both", duration(p->hybrid.seconds),
                   share_text(p->hybrid.share), describe(p->hybrid.kernel)});
    }
  }
  table.print(out);
}

// GFLOPS of one product, or geometric means of several: cpu, cpu_all, gpu, simple, hybrid.
std::vector<double> rates(const Points& points) {
  std::vector<double> means;
  for (double (*seconds)(const TunedPoint&) :
       {+[](const TunedPoint& p) { return p.cpu_seconds; },
        +[](const TunedPoint& p) { return p.cpu_all_seconds; },
        +[](const TunedPoint& p) { return p.gpu.seconds; },
        +[](const TunedPoint& p) { return p.simple.seconds; },
        +[](const TunedPoint& p) { return p.hybrid.seconds; }}) {
    std::vector<double> measured;
    for (const TunedPoint* p : points)
      if (seconds(*p) > 0) measured.push_back(gflops(*p, seconds(*p)));
    // The columns beside it are means of all points. One of fewer would mislead.
    means.push_back(measured.size() == points.size() ? geometric_mean(measured) : 0);
  }
  return means;
}

void print_strategies(const Profile& profile, const Points& shown, std::ostream& out) {
  using enum TextTable::Align;
  // cpu_all differs from cpu only if the stand-in has some of the cores.
  const bool standin = profile.key.standin;
  std::vector<TextTable::Column> columns = {{"GFLOPS"}, {"cpu", right}};
  if (standin) columns.push_back({"cpu_all", right});
  for (const char* title : {"gpu", "simple", "hybrid", "hybrid/simple"})
    columns.push_back({title, right});
  TextTable table(columns);
  const auto add = [&](const std::string& title, const Points& points) {
    const std::vector<double> rate = rates(points);
    std::vector<std::string> cells = {title};
    for (std::size_t i = 0; i < rate.size(); ++i)
      if (i != 1 || standin) cells.push_back(rate_text(rate[i]));
    cells.push_back(rate[3] > 0 && rate[4] > 0 ? fixed(rate[4] / rate[3], 3) : "-");
    table.add(cells);
  };
  for (const Precision precision : all_precisions) {
    Points of_type;
    for (const TunedPoint& p : profile.points)
      if (p.precision == precision) of_type.push_back(&p);
    if (of_type.size() > 1)
      add(product_name(precision) + ", mean of " + std::to_string(of_type.size()), of_type);
  }
  for (const TunedPoint* p : shown) add(tuning_case_of(*p), {p});
  table.print(out);
}

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

void print_wrapped(const std::string& text, std::ostream& out) {
  for (const std::string& line : wrapped(text, kLineWidth, "  ")) out << line << '\n';
}

void print_tune_summary(const Profile& profile, bool verbose, std::ostream& out) {
  const std::size_t count = profile.points.size();
  if (count == 0) {
    out << "\nNothing was tuned.\n";
    return;
  }
  const bool all = verbose || count <= kFew;
  const Points shown = most_different(profile, all ? count : kShownOfMany);
  if (!all)
    out << "\nOf " << count << " products, the " << shown.size()
        << " where co-tuned and simply tuned differ most (--verbose shows all):";
  out << '\n';
  if (!all) out << '\n';
  print_winners(shown, out);
  out << '\n';
  print_strategies(profile, shown, out);
  out << "\ncpu, gpu: one side alone. simple: both, the kernel that is fastest alone and its best\n"
         "split. hybrid: both, kernel and split co-tuned. From medians of whole calls; means are\n"
         "geometric. p_g/P: the GPU's share of C.\n";
  if (profile.key.standin)
    out << "STAND-IN: no GPU was tuned. One was played on half of the cores, so cpu and gpu are "
           "each\n"
           "half of this machine; cpu_all is the CPU BLAS on every core.\n";
  out << '\n';
  for (const std::string& finding : tuning_findings(profile)) print_wrapped(finding, out);
}

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
