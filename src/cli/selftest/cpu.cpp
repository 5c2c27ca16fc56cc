// The CPU's side alone: what everything else is measured against, and falls back to.
#include <string>

#include "cli/selftest/guarded_product.hpp"

namespace duoblas::cli::selftest {
namespace {

Finding products(Engine& engine, Precision precision) {
  ProductTally tally;
  const CpuConfig config = engine.cpu().all_cores("");
  for (const auto& [op_a, op_b] : all_ops(precision)) {
    for (const ProductCase& each : edge_cases(precision, op_a, op_b)) {
      GuardedProduct product(each);
      engine.cpu().run(product.problem(), config);
      tally.add(product.check(), describe(each));
    }
  }
  return tally.finding();
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
