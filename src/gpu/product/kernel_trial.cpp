#include "gpu/product/kernel_trial.hpp"

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check/product_check.hpp"
#include "gpu/kernels/launch.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "gpu/product/batched_product.hpp"
#include "gpu/product/covering_products.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// Products with more multiply-adds are checked by a random vector (0.3 ns each on a Xeon core).
constexpr double most_madds = 3e7;

std::string text_of(const GemmProblem& p) {
  return "at m = " + std::to_string(p.m) + ", n = " + std::to_string(p.n) +
         ", k = " + std::to_string(p.k);
}

// Returns what is wrong with a product's C. `old`: C before it.
std::string judge(const GemmProblem& problem, TrialMatrix& c, TrialMatrix& old, std::int64_t number,
                  double slack) {
  const std::vector<char> c0 = problem.overwrites_c() ? std::vector<char>() : old.values(number);
  const double madds = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                       static_cast<double>(problem.k);
  std::optional<WrongElement> wrong;
  if (madds <= most_madds) {
    wrong = wrong_element(problem, c0.empty() ? nullptr : c0.data(), slack);
  } else {
    // The check copies C when it is made, so it gets the old values first.
    const std::vector<char> now = c.values(number);
    if (!c0.empty()) c.set_values(c0, number);
    ProductCheck check(problem, 1, slack);
    c.set_values(now, number);
    wrong = check.compare().wrong;
  }
  return wrong ? describe(*wrong, problem) + ' ' + text_of(problem) : std::string();
}

bool can_launch(const TargetDevice& device, const KernelVariant& variant, const GemmProblem& p) {
  try {
    launch(variant, p.m, p.n, p.k, {device.limits.compute_units, device.limits.loop_turns});
    return true;
  } catch (const DeviceError&) {
    return false;  // a driver that leaves long loops early is given no such products either
  }
}

// The offsets of products, in another order than in memory.
std::shared_ptr<const cl::Buffer> places_of(const TargetDevice& device,
                                            const BatchedOperands& operands) {
  std::vector<std::uint64_t> places;
  for (const std::uint64_t at : {1, 2, 0})
    for (const BatchedOperand* operand : {&operands.a, &operands.b, &operands.c})
      places.push_back(at * static_cast<std::uint64_t>(operand->stride));
  return std::make_shared<cl::Buffer>(
      device.context.allocate_copy(places.data(), places.size() * sizeof places.front()));
}

// One product, or a batch of three: the operands of the left and the right one have NaN before the
// first element and between rows, so that a mix-up shows. Returns what is wrong; empty: nothing, or
// no call uses the variant either.
std::string tried_product(const TargetDevice& device, cl::Queue& queue,
                          const CoveringProduct& covering, const KernelVariant& variant,
                          BuiltProgram& built, std::uint64_t seed) {
  const bool is_batch = variant.batching != Batching::none;
  const std::int64_t count = is_batch ? 3 : 1;
  GemmProblem p = covering.problem;
  std::mt19937_64 engine(seed);
  TrialMatrix a(stored_rows_a(p), stored_cols_a(p), p.lda, covering.before_a, p.precision, count);
  TrialMatrix b(stored_rows_b(p), stored_cols_b(p), p.ldb, covering.before_b, p.precision, count);
  TrialMatrix c(p.m, p.n, p.ldc, covering.before_c, p.precision, count);
  a.draw(engine);
  b.draw(engine);
  if (!p.overwrites_c()) c.draw(engine);
  TrialMatrix old = c;
  bool has_run = true;
  run_unless_hung(
      [&] {
        const auto bound = [&](TrialMatrix& of) {
          return BatchedOperand{of.on_device(device.context, queue), of.stride()};
        };
        BatchedOperands operands{bound(a), bound(b), bound(c), {}};
        if (variant.batching == Batching::table) operands.places = places_of(device, operands);
        if (is_batch)
          run_batch_alone(device, queue, p, count, variant, built, operands);
        else
          has_run = run_alone(device, queue, p, variant, built,
                              {operands.a.first, operands.b.first, operands.c.first});
        if (has_run) c.read_back(operands.c.first, queue);
      },
      a.numbers(), b.numbers(), c.numbers());
  for (std::int64_t i = 0; has_run && i < count; ++i) {
    p.a = a.at(0, i);
    p.b = b.at(0, i);
    p.c = c.at(0, i);
    const std::string wrong = judge(p, c, old, i, rounding_slack(variant.params));
    if (wrong.empty()) continue;
    return is_batch ? "of product " + std::to_string(i) + " of a batch: " + wrong : wrong;
  }
  return has_run && c.differs_beside(old) ? "it writes between the rows of C " + text_of(p)
                                          : std::string();
}

}  // namespace

void warm_up(const TargetDevice& device, const KernelVariant& variant, BuiltProgram& built) {
  if (variant.params.inline_sizes) return;  // no small matrices are of these sizes
  constexpr std::int64_t extent = 128;
  GemmProblem small;
  small.precision = variant.precision;
  small.op_a = variant.op_a;
  small.op_b = variant.op_b;
  small.m = small.n = small.k = extent;
  const std::size_t pitch = extent * element_size(small.precision);
  ProductOperands operands;
  cl::Queue queue(device.context);
  for (BoundOperand* operand : {&operands.a, &operands.b, &operands.c}) {
    operand->buffer = std::make_shared<cl::Buffer>(
        device.context.allocate(extent * pitch, cl::Access::read_write));
    operand->pitch_bytes = pitch;
    static_cast<void>(queue.fill_with_zeros(*operand->buffer, extent * pitch));  // for speed only
  }
  if (variant.batching == Batching::none) {
    run_alone(device, queue, small, variant, built, operands);
    return;
  }
  BatchedOperands batch;
  batch.a.first = operands.a;
  batch.b.first = operands.b;
  batch.c.first = operands.c;
  if (variant.batching == Batching::table) {
    constexpr std::array<std::uint64_t, 3> nowhere_else{};
    batch.places = std::make_shared<cl::Buffer>(
        device.context.allocate_copy(nowhere_else.data(), sizeof nowhere_else));
  }
  run_batch_alone(device, queue, small, 1, variant, built, batch);
}

std::string what_is_wrong(const TargetDevice& device, const KernelVariant& variant,
                          BuiltProgram& built, std::uint64_t seed) {
  cl::Queue queue(device.context);
  for (const CoveringProduct& covering : covering_products(variant)) {
    if (!can_launch(device, variant, covering.problem)) continue;
    std::string wrong = tried_product(device, queue, covering, variant, built, seed++);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace duoblas
