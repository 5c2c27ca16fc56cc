#include "tuner/tuning_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "tuner/search/strategy.hpp"
#include "tuner/tune.hpp"

namespace duoblas {
namespace {

// An anchor builds kernels, about 0.4 s each with PoCL on two cores. The others run kernels that
// are built; the first tuning case of another op pair builds a few.
constexpr double anchor_extra = 12;
constexpr double new_ops_extra = 1.5;

// usual_shapes() but for the thin ones.
constexpr std::ptrdiff_t early_shapes = 8;

// The cost of a tuning case's calls, in calls of n = 1024. It grows less than the work of a call,
// because larger cases get fewer calls.
double weight_of(const Shape& s, Precision precision) {
  const double work = static_cast<double>(s.m) * static_cast<double>(s.n) *
                      static_cast<double>(s.k) / (1024.0 * 1024.0 * 1024.0);
  const double type = (is_double(precision) ? 2 : 1) * (is_complex(precision) ? 4 : 1);
  return std::sqrt(std::max(work * type, 0.05));
}

}  // namespace

std::vector<TuneCase> tuning_cases_of(const TuneRequest& request) {
  std::vector<TuneCase> tuning_cases;
  for (const bool first_ops : {true, false})
    for (const Precision precision : request.precisions)
      for (std::size_t o = first_ops ? 0 : 1; o < (first_ops ? 1 : request.ops.size()); ++o)
        for (std::size_t i = 0; i < request.shapes.size(); ++i) {
          TuneCase tuning_case;
          tuning_case.kernel = {precision, request.ops[o].first, request.ops[o].second};
          tuning_case.shape = request.shapes[i];
          tuning_case.anchor = first_ops && i == 0;
          tuning_case.weight = weight_of(tuning_case.shape, precision);
          if (i == 0) tuning_case.weight += first_ops ? anchor_extra : new_ops_extra;
          tuning_cases.push_back(tuning_case);
        }
  // The shapes that every op pair needs come first. Fast machines have time for the others.
  const auto is_early = [&](const TuneCase& tuning_case) {
    const auto at = std::ranges::find(request.shapes, tuning_case.shape) - request.shapes.begin();
    return at < early_shapes;
  };
  std::stable_partition(tuning_cases.begin(), tuning_cases.end(), is_early);
  std::stable_partition(tuning_cases.begin(), tuning_cases.end(),
                        [](const TuneCase& s) { return s.anchor; });
  return tuning_cases;
}

void require_sense(const TuneRequest& request, bool measures_energy) {
  if (request.precisions.empty() || request.shapes.empty() || request.ops.empty())
    throw SettingError("nothing to tune: give at least one precision, one shape and one op pair");
  for (const Shape& s : request.shapes)
    if (s.m < 1 || s.n < 1 || s.k < 1)
      throw SettingError("a shape to tune needs m, n and k of 1 or more");
  if (request.goal != Goal::throughput && !measures_energy)
    throw SettingError("to tune for " + std::string(name(request.goal)) +
                       ", energy must be measured");
  if (request.max_kernels < 1) throw SettingError("at least one kernel must be allowed");
  if (std::ranges::find(search_names(), request.search) == search_names().end())
    make_search(request.search, {});  // throws, naming those that there are
}

std::string tuning_case_text(const TuneCase& tuning_case) {
  return tuning_case_text(tuning_case.kernel.precision, tuning_case.kernel.op_a,
                          tuning_case.kernel.op_b, tuning_case.shape);
}

std::vector<Shape> usual_shapes() {
  // The last six are thin along one size or two, where overhead and passes over the operands decide
  // and time models fitted to larger products say least. Their calls are short.
  return {{1024, 1024, 1024}, {2048, 2048, 2048}, {512, 512, 512},   {4096, 256, 512},
          {256, 4096, 512},   {2048, 2048, 64},   {256, 256, 8192},  {4096, 4096, 4096},
          {1792, 160, 1024},  {160, 1792, 1024},  {1280, 1280, 192}, {192, 192, 1024},
          {768, 160, 192},    {160, 768, 192}};
}

CaseQueue::CaseQueue(std::vector<TuneCase> cases) : cases_(std::move(cases)) {}

double CaseQueue::next_part() const {
  double weights = 0;
  for (const TuneCase& s : cases_) weights += s.weight;
  return cases_.front().weight / weights;
}

TuneCase CaseQueue::take() {
  TuneCase next = cases_.front();
  cases_.erase(cases_.begin());
  return next;
}

void CaseQueue::was_beside(const TuneCase& tuning_case) {
  if (came_again_.insert(tuning_case_text(tuning_case)).second) beside_.push_back(tuning_case);
}

void CaseQueue::bring_back() {
  cases_.insert(cases_.begin(), beside_.begin(), beside_.end());
  beside_.clear();
}

}  // namespace duoblas
