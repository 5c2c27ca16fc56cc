#include "cli/core_types.hpp"

#include <algorithm>

#include "cli/measured_blas.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

// Differences under this are noise on a shared machine (clock drift alone is up to 2 %).
constexpr double kWorthSaying = 1.05;

const CoreTypeFinding& fastest(const std::vector<CoreTypeFinding>& findings,
                               double CoreTypeFinding::*gflops) {
  return *std::max_element(
      findings.begin(), findings.end(),
      [=](const CoreTypeFinding& x, const CoreTypeFinding& y) { return x.*gflops < y.*gflops; });
}

}  // namespace

std::vector<CoreTypeFinding> measured_core_types(Engine& engine) {
  const std::string library = engine.cpu().library_path();
  auto findings = probe_core_types(library, "/proc/self/exe");
  remember_core_types(engine.settings().profile_dir, library, findings);
  return findings;
}

std::string worth_text(const std::vector<CoreTypeFinding>& findings) {
  const CoreTypeFinding& own = findings.front();
  const CoreTypeFinding& s = fastest(findings, &CoreTypeFinding::sgemm_gflops);
  const CoreTypeFinding& d = fastest(findings, &CoreTypeFinding::dgemm_gflops);
  const double s_gain = own.sgemm_gflops > 0 ? s.sgemm_gflops / own.sgemm_gflops : 0;
  const double d_gain = own.dgemm_gflops > 0 ? d.dgemm_gflops / own.dgemm_gflops : 0;
  if (s_gain < kWorthSaying && d_gain < kWorthSaying) {
    return "The library's own choice, " + own.core_name + ", is as fast as any.";
  }
  return "Left alone the library takes " + own.core_name + ": " + s.core_name + " is worth " +
         fixed(s_gain, 2) + " times that in sgemm, " + d.core_name + " " + fixed(d_gain, 2) +
         " times in dgemm.";
}

std::vector<CpuConfig> promising_configs(Engine& engine,
                                         const std::vector<CoreTypeFinding>& findings) {
  std::vector<CpuConfig> configs;
  if (findings.empty()) return configs;
  for (const auto gflops : {&CoreTypeFinding::sgemm_gflops, &CoreTypeFinding::dgemm_gflops}) {
    CpuConfig config = engine.machine().cpu_for(Precision::s);
    config.core_type = fastest(findings, gflops).core_type;
    if (std::find(configs.begin(), configs.end(), config) == configs.end()) {
      configs.push_back(config);
    }
  }
  return configs;
}

}  // namespace duoblas::cli
