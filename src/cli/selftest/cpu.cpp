// The CPU's side alone: what everything else is measured against, and falls back to.
#include <algorithm>
#include <string>

#include "cli/selftest/guarded_product.hpp"
#include "cli/selftest/section.hpp"

namespace duoblas::cli::selftest {
namespace {

Finding products(Engine& engine, Precision precision) {
  Finding finding;
  double largest = 0;
  int count = 0, wrong = 0;
  const CpuConfig config = engine.cpu().all_cores("");
  for (const auto& [op_a, op_b] : all_ops(precision)) {
    for (const ProductCase& each : edge_cases(precision, op_a, op_b)) {
      GuardedProduct product(each);
      engine.cpu().run(product.problem(), config);
      const ProductResult result = product.check();
      largest = std::max(largest, result.error);
      ++count;
      if (result.right()) continue;
      ++wrong;
      finding.found = Found::wrong;
      finding.text = describe(each) + ": " + result.text();
    }
  }
  finding.facts = {
      {"products", count}, {"wrong", wrong}, {"largest_error", number_or_null(largest)}};
  return finding;
}

}  // namespace

void test_cpu(SectionRun& run) {
  Settings settings = run.settings();
  settings.device = "none";  // and no driver is asked: it may be the one that hangs
  settings.standin = false;
  settings.strategy = Strategy::cpu;
  Engine engine(settings);
  for (const Precision precision : all_precisions)
    run.step(std::string(1, letter(precision)) + "gemm",
             [&] { return products(engine, precision); });
}

}  // namespace duoblas::cli::selftest
