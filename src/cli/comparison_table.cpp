#include "cli/comparison_table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

auto problem_of(const ComparisonRow& r) {
  return std::tie(r.precision, r.ops, r.layout, r.m, r.n, r.k);
}

std::string title(const ComparisonRow& r) {
  return std::string(1, letter(r.precision)) + "gemm " + r.ops + ", " + std::to_string(r.m) +
         " x " + std::to_string(r.n) + " x " + std::to_string(r.k) + ", " + r.layout + "-major, " +
         std::to_string(r.rounds) + " interleaved rounds";
}

std::string what_it_is(const std::string& strategy, bool standin) {
  if (strategy == "cpu") return standin ? "CPU BLAS on its half of the cores" : "CPU BLAS alone";
  if (strategy == "gpu")
    return standin ? "stand-in GPU alone, best kernel" : "GPU alone, best kernel";
  if (strategy == "simple") return "both; kernel tuned alone, then the split";
  if (strategy == "hybrid") return "both; kernel and split co-tuned";
  if (strategy == "gpu_cotuned") return "GPU alone with the co-tuned kernel";
  if (strategy == "cpu_all") return standin ? "CPU BLAS on every core" : "CPU BLAS, every core";
  return {};
}

std::vector<std::string> cells(const ComparisonRow& r, bool standin) {
  const double operations = r.gflops * r.seconds;  // to turn the quartiles of seconds into rates
  const auto rate = [&](double seconds) {
    return fixed(seconds > 0 ? operations / seconds : 0, 1);
  };
  return {r.strategy + (r.recovered ? " (!)" : ""),
          fixed(r.gflops, 1),
          rate(r.seconds_q3) + " - " + rate(r.seconds_q1),
          std::to_string(r.gpu_parts) + "/" + std::to_string(r.parts),
          r.speedup > 0 ? fixed(r.speedup, 2) : "-",
          significant(r.error, 2),
          what_it_is(r.strategy, standin)};
}

// Each kernel once, with the strategies that used it.
void print_kernels(std::span<const ComparisonRow> rows, std::ostream& out) {
  std::vector<std::pair<std::string, std::string>> users;
  for (const ComparisonRow& row : rows) {
    if (row.kernel.empty()) continue;
    const auto known = std::find_if(users.begin(), users.end(),
                                    [&](const auto& entry) { return entry.first == row.kernel; });
    if (known == users.end()) {
      users.emplace_back(row.kernel, row.strategy);
    } else {
      known->second += ", " + row.strategy;
    }
  }
  for (const auto& [kernel, strategies] : users) {
    out << "  kernel of " << strategies << ": " << kernel << '\n';
  }
}

}  // namespace

void print_comparison(const std::vector<ComparisonRow>& rows, bool standin, std::ostream& out) {
  using enum TextTable::Align;
  bool recovered = false;
  for (std::size_t begin = 0; begin < rows.size();) {
    TextTable table({{"strategy"},
                     {"GFLOPS", right},
                     {"quartiles", right},
                     {"p_g/P", right},
                     {"speed-up", right},
                     {"error", right},
                     {"what it is"}});
    std::size_t end = begin;
    for (; end < rows.size() && problem_of(rows[end]) == problem_of(rows[begin]); ++end) {
      const ComparisonRow& row = rows[end];
      table.add(cells(row, standin));
      recovered |= row.recovered;
    }
    out << '\n' << title(rows[begin]) << '\n';
    table.print(out, "  ");
    print_kernels({rows.begin() + static_cast<std::ptrdiff_t>(begin),
                   rows.begin() + static_cast<std::ptrdiff_t>(end)},
                  out);
    begin = end;
  }
  out << "\nGFLOPS: from the median of whole calls, copies included. p_g/P: the GPU's share of C.\n"
         "speed-up: over the faster of cpu and gpu.\n"
         "error: the largest, in units of roundoff; below 1 is right.\n";
  if (standin) {
    out << "STAND-IN: there is no GPU in these numbers. PoCL on half of the cores plays the GPU, "
           "so\n"
           "cpu and gpu are each half of this machine; cpu_all is what the CPU alone can do.\n";
  }
  if (recovered) {
    out << "(!) The GPU failed and the CPU did its part: this is not the strategy's time.\n";
  }
}

nlohmann::json comparison_json(const std::vector<ComparisonRow>& rows) {
  nlohmann::json results = nlohmann::json::array();
  for (const ComparisonRow& r : rows) {
    results.push_back({{"precision", std::string(1, letter(r.precision))},
                       {"ops", r.ops},
                       {"layout", r.layout},
                       {"m", r.m},
                       {"n", r.n},
                       {"k", r.k},
                       {"strategy", r.strategy},
                       {"gflops", r.gflops},
                       {"seconds", r.seconds},
                       {"seconds_q1", r.seconds_q1},
                       {"seconds_q3", r.seconds_q3},
                       {"rounds", r.rounds},
                       {"gpu_parts", r.gpu_parts},
                       {"parts", r.parts},
                       {"kernel", r.kernel},
                       {"error", r.error},
                       {"speedup", r.speedup},
                       {"recovered", r.recovered}});
  }
  return results;
}

}  // namespace duoblas::cli
