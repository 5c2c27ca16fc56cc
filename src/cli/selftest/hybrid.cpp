// Whole calls through the public interface, with a split that both sides have a part in.
#include <complex>
#include <string>
#include <type_traits>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "cli/selftest/guarded_product.hpp"
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

// Whole calls: a right result is wrong here if the GPU had no part in it.
class Calls {
 public:
  explicit Calls(Context& context) : context_(context) {}

  void add(Layout layout, const ProductCase& each) {
    GuardedProduct product(each);
    call(context_, layout, product.problem());
    const CallSummary did = Context::last_call();
    const ProductResult result = product.check();
    tally_.add(result, describe(each));
    recovered_ += did.recovered ? 1 : 0;
    without_gpu_ += did.gpu_rows == 0 ? 1 : 0;
    if (result.right() && (did.recovered || did.gpu_rows == 0))
      by_the_cpu_ = describe(each) +
                    (did.recovered ? ": right, but the CPU redid the GPU's part: "
                                   : ": right, but the CPU did all of it: ") +
                    did.reason;
  }

  /// Whether time is over, but for the first: then something is left out.
  bool leaves_out(const SectionRun& run) {
    const bool is_over = tally_.products() > 0 && run.takes_too_long();
    left_out_ += is_over ? 1 : 0;
    return is_over;
  }

  Finding finding() const {
    Finding finding = tally_.finding();
    finding.facts.update({{"recovered_by_the_cpu", recovered_},
                          {"without_gpu", without_gpu_},
                          {"left_out", left_out_}});
    if (finding.found == Found::ok && !by_the_cpu_.empty()) {
      finding.found = Found::wrong;
      finding.text = by_the_cpu_;
    } else if (finding.found == Found::ok && left_out_ > 0) {
      finding.shown = true;
      finding.text = std::to_string(left_out_) + " parts left out: time was over";
    }
    return finding;
  }

 private:
  Context& context_;
  ProductTally tally_;
  int recovered_ = 0, without_gpu_ = 0;
  int left_out_ = 0;  // parts: an op pair or the large product, of one split
  std::string by_the_cpu_;
};

Finding calls(SectionRun& run, Context& context, Precision precision) {
  const bool quick = run.quick();
  Calls made(context);
  for (const Share share : {Share{1, 2}, Share{1, 8}, Share{7, 8}}) {
    context.set_split(share);
    for (const auto& [op_a, op_b] : all_ops(precision)) {
      if ((quick && (share.parts != 2 || op_a != op_b)) || made.leaves_out(run)) continue;
      const Layout layout = op_a == Op::none ? Layout::row_major : Layout::column_major;
      for (const ProductCase& each : edge_cases(precision, op_a, op_b)) made.add(layout, each);
      run.progress();
    }
    if (!quick && !made.leaves_out(run))
      made.add(Layout::row_major, {precision, Op::none, Op::transpose, 700, 520, 610});
  }
  return made.finding();
}

}  // namespace

void test_hybrid(SectionRun& run) {
  Settings settings = run.settings();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{1, 2};
  settings.adapt = false;
  Context context(settings);
  Engine& engine = ContextEngine::of(context);
  if (run.gpu_of(engine) == nullptr) return;
  for (const Precision precision : all_precisions) {
    if (!engine.machine().device.multiplies(precision)) continue;
    run.step(std::string(1, letter(precision)) + "gemm on both sides",
             [&] { return calls(run, context, precision); });
  }
}

}  // namespace duoblas::cli::selftest
