#include "cli/bench/size_groups.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "plot/chart.hpp"

namespace duoblas::cli {
namespace {

constexpr std::size_t fewest_of_a_group = 3;

double m_of(const ComparisonRow& r) {
  return static_cast<double>(r.m);
}
double n_of(const ComparisonRow& r) {
  return static_cast<double>(r.n);
}
double k_of(const ComparisonRow& r) {
  return static_cast<double>(r.k);
}
double root_of(const ComparisonRow& r) {
  return std::cbrt(m_of(r) * n_of(r) * k_of(r));
}
// Without a k, squares count as cubes.
bool is_cube(const ComparisonRow& r) {
  return r.m == r.n && (is_bound_by_memory(r) || r.n == r.k);
}

const char* name_of_cubes(const ComparisonRow& r) {
  return is_bound_by_memory(r) ? "m = n" : "m = n = k";
}

double side_of(const ComparisonRow& r) {
  return std::sqrt(m_of(r) * n_of(r));
}

std::string given(const char* name, double extent) {
  return std::string(", ") + name + " = " + plot_number(extent);
}

// A group that problems may be in, without its rows, and the test for them.
struct Kind {
  SizeGroup group;
  std::function<bool(const ComparisonRow&)> holds;
};

std::vector<Kind> kinds_of(const ComparisonRow& r) {
  std::vector<Kind> kinds;
  if (is_cube(r)) kinds.push_back({{name_of_cubes(r), n_of, {}}, is_cube});
  if (is_bound_by_memory(r)) {
    kinds.push_back({{"m" + given("n", n_of(r)), m_of, {}},
                     [r](const ComparisonRow& o) { return o.n == r.n; }});
    kinds.push_back({{"n" + given("m", m_of(r)), n_of, {}},
                     [r](const ComparisonRow& o) { return o.m == r.m; }});
    return kinds;
  }
  kinds.push_back({{"m" + given("n", n_of(r)) + given("k", k_of(r)), m_of, {}},
                   [r](const ComparisonRow& o) { return o.n == r.n && o.k == r.k; }});
  kinds.push_back({{"n" + given("m", m_of(r)) + given("k", k_of(r)), n_of, {}},
                   [r](const ComparisonRow& o) { return o.m == r.m && o.k == r.k; }});
  kinds.push_back({{"k" + given("m", m_of(r)) + given("n", n_of(r)), k_of, {}},
                   [r](const ComparisonRow& o) { return o.m == r.m && o.n == r.n; }});
  return kinds;
}

using Problems = std::vector<ProblemRows>;

std::size_t count(const Problems& problems, const Kind& kind) {
  return static_cast<std::size_t>(
      std::ranges::count_if(problems, [&](const auto& rows) { return kind.holds(rows[0]); }));
}

// The group with those problems of `all` that belong to it. They are removed from `rest`.
SizeGroup taken(Kind kind, const Problems& all, Problems& rest) {
  for (const ProblemRows& rows : all)
    if (kind.holds(rows[0]))
      kind.group.rows.insert(kind.group.rows.end(), rows.begin(), rows.end());
  std::erase_if(rest, [&](const auto& rows) { return kind.holds(rows[0]); });
  return std::move(kind.group);
}

void group_family(const Problems& all, std::vector<SizeGroup>& groups) {
  Problems rest = all;
  for (bool found = true; found && !rest.empty();) {
    found = false;
    for (const ProblemRows& rows : Problems(rest)) {
      for (Kind& kind : kinds_of(rows[0])) {
        const bool everything = count(all, kind) == all.size();
        if (found || (!everything && count(rest, kind) < fewest_of_a_group)) continue;
        groups.push_back(taken(std::move(kind), all, rest));
        found = true;
      }
    }
  }
  if (rest.empty()) return;
  const bool cubes = std::ranges::all_of(rest, [](const auto& rows) { return is_cube(rows[0]); });
  const ComparisonRow& first = rest.front().front();
  SizeGroup group{cubes ? name_of_cubes(first) : "cube root of m n k", root_of, {}};
  if (is_bound_by_memory(first))
    group = {cubes ? name_of_cubes(first) : "square root of m n", side_of, {}};
  for (const ProblemRows& rows : rest)
    group.rows.insert(group.rows.end(), rows.begin(), rows.end());
  groups.push_back(std::move(group));
}

}  // namespace

std::vector<SizeGroup> size_groups(const std::vector<ComparisonRow>& rows) {
  std::vector<Problems> families;
  for (const ProblemRows& problem : by_problem(rows)) {
    const ComparisonRow& r = problem.front();
    auto family = std::ranges::find_if(families, [&](const Problems& problems) {
      const ComparisonRow& other = problems.front().front();
      return std::tie(r.routine, r.precision, r.ops, r.layout) ==
             std::tie(other.routine, other.precision, other.ops, other.layout);
    });
    if (family == families.end()) family = families.insert(families.end(), Problems());
    family->push_back(problem);
  }
  std::vector<SizeGroup> groups;
  for (const Problems& family : families) group_family(family, groups);
  return groups;
}

}  // namespace duoblas::cli
