// Whole calls through the public interface, with a split that both sides have a part in.
#include <algorithm>
#include <complex>
#include <string>
#include <type_traits>

#include <duoblas/context.hpp>

#include "api/context_engine.hpp"
#include "cli/selftest/guarded_product.hpp"
#include "cli/selftest/section.hpp"
#include "problem/element_types.hpp"

namespace duoblas::cli::selftest {
namespace {

template <typename T>
T scalar(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value.real());
  else
    return T(value);
}

// Calls the same product in the given layout: as it is, or transposed with A and B exchanged.
template <typename T>
void call(Context& context, Layout layout, const GemmProblem& p) {
  const auto* a = static_cast<const T*>(p.a);
  const auto* b = static_cast<const T*>(p.b);
  auto* c = static_cast<T*>(p.c);
  const T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
  if (layout == Layout::row_major)
    context.gemm<T>(layout, p.op_a, p.op_b, p.m, p.n, p.k, alpha, a, p.lda, b, p.ldb, beta, c,
                    p.ldc);
  else
    context.gemm<T>(layout, p.op_b, p.op_a, p.n, p.m, p.k, alpha, b, p.ldb, a, p.lda, beta, c,
                    p.ldc);
}

void call(Context& context, Layout layout, const GemmProblem& p) {
  with_element_type(p.precision, [&](auto zero) { call<decltype(zero)>(context, layout, p); });
}

struct Counts {
  int products = 0, wrong = 0, recovered = 0, without_gpu = 0;
  int left_out = 0;  // parts skipped: an op pair or the large product, of one split
  double largest = 0;
};

void count(Context& context, Layout layout, const ProductCase& each, Counts& counts,
           Finding& finding) {
  GuardedProduct product(each);
  call(context, layout, product.problem());
  const CallSummary did = Context::last_call();
  const ProductResult result = product.check();
  ++counts.products;
  counts.largest = std::max(counts.largest, result.error);
  counts.recovered += did.recovered ? 1 : 0;
  counts.without_gpu += did.gpu_rows == 0 ? 1 : 0;
  if (!result.right()) {
    ++counts.wrong;
    finding.text = describe(each) + ": " + result.text();
  } else if (did.recovered || did.gpu_rows == 0) {
    finding.text = describe(each) +
                   (did.recovered ? ": right, but the CPU redid the GPU's part: "
                                  : ": right, but the CPU did all of it: ") +
                   did.reason;
  } else {
    return;
  }
  finding.found = Found::wrong;
}

Finding calls(SectionRun& run, Context& context, Precision precision) {
  const bool quick = run.quick();
  Finding finding;
  Counts counts;
  for (const Share share : {Share{1, 2}, Share{1, 8}, Share{7, 8}}) {
    context.set_split(share);
    for (const auto& [op_a, op_b] : all_ops(precision)) {
      if (quick && (share.parts != 2 || op_a != op_b)) continue;
      if (counts.products > 0 && run.takes_too_long()) {
        ++counts.left_out;
        continue;
      }
      const Layout layout = op_a == Op::none ? Layout::row_major : Layout::column_major;
      for (const ProductCase& each : edge_cases(precision, op_a, op_b))
        count(context, layout, each, counts, finding);
      run.progress();
    }
    if (quick) continue;
    if (run.takes_too_long()) {
      ++counts.left_out;
      continue;
    }
    ProductCase large{precision, Op::none, Op::transpose, 700, 520, 610};
    count(context, Layout::row_major, large, counts, finding);
  }
  finding.facts = {{"products", counts.products},
                   {"wrong", counts.wrong},
                   {"recovered_by_the_cpu", counts.recovered},
                   {"without_gpu", counts.without_gpu},
                   {"left_out", counts.left_out},
                   {"largest_error", number_or_null(counts.largest)}};
  if (counts.left_out > 0 && finding.found == Found::ok) {
    finding.shown = true;
    finding.text = std::to_string(counts.left_out) + " parts left out: time was over";
  }
  return finding;
}

}  // namespace

void test_hybrid(SectionRun& run) {
  Settings settings = run.settings();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{1, 2};
  settings.adapt = false;
  Context context(settings);
  const GpuSide* gpu = run.gpu_of(ContextEngine::of(context));
  if (gpu == nullptr) return;
  const bool has_fp64 = gpu->limits().has_fp64;
  for (const Precision precision : all_precisions) {
    if (is_double(precision) && !has_fp64) continue;
    run.step(std::string(1, letter(precision)) + "gemm on both sides",
             [&] { return calls(run, context, precision); });
  }
}

}  // namespace duoblas::cli::selftest
