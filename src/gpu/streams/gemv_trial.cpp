// Small products that cover a gemv program's code, for a trial before anybody uses it.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check/product_check.hpp"
#include "gpu/device/operand_image.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "gpu/streams/gemv.hpp"
#include "gpu/streams/vector_product.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

struct CoveringGemv {
  std::int64_t outputs, terms, gap, before, incx, incy;
  double alpha, beta;
};

// If sizes are compiled in: these sizes, with everything that may vary between such calls.
// Otherwise whole groups and edges of odd sizes, one element, slices of a long sum, offsets, gaps,
// increments of either sign, three betas.
std::vector<CoveringGemv> covering(const TargetDevice& device, const GemvVariant& variant,
                                   bool transposes) {
  const GemvKernel& kernel = variant.kernel;
  const bool aligned = variant.aligned;
  const std::int64_t width = kernel.vector_width;
  const std::int64_t across = std::int64_t{kernel.across} * width;
  const std::int64_t group = transposes ? across * kernel.lines : kernel.lines;
  const std::int64_t step = transposes ? kernel.teams : across;
  const std::int64_t long_sum = 16 * step * std::min(device.limits.compute_units + 1, 5) + 3;
  const std::int64_t unit = aligned ? 16 : 1;  // of elements: multiples of every vector's bytes
  if (variant.rows > 0) {
    const std::int64_t outputs = transposes ? variant.columns : variant.rows;
    const std::int64_t terms = transposes ? variant.rows : variant.columns;
    return {{outputs, terms, unit, unit, -2, 3, 1.5, 0.5}};
  }
  return {{1, 1, aligned ? 16 : 0, 0, 1, 1, 1, 0},
          {group, 4 * step, 0, 0, 1, 1, 1, 1},
          {2 * group + 3, step + 5, unit, unit, 1, 1, 2, 0},
          {group + 1, long_sum, 2 * unit, 0, 1, 2, -1, 0.5},
          {3, 2 * step + 1, unit, 3 * unit, -2, -1, 1.5, 1},
          {5, long_sum, 0, 0, 3, 1, 1, 0}};
}

std::int64_t rounded(std::int64_t value, bool aligned) {
  return aligned ? (value + 15) / 16 * 16 : value;
}

struct Trial {
  const TargetDevice& device;
  cl::Queue& queue;
  const GemvVariant& variant;
  BuiltProgram& built;

  // What is wrong with the result; empty: nothing.
  std::string run(GemvProblem p, const CoveringGemv& of, std::mt19937_64& engine) {
    const Precision type = p.precision;
    (p.transposes ? p.columns : p.rows) = of.outputs;
    (p.transposes ? p.rows : p.columns) = of.terms;
    p.alpha = of.alpha;
    p.beta = of.beta;
    p.lda = rounded(p.columns + of.gap, variant.aligned);
    TrialMatrix a(p.rows, p.columns, p.lda, of.before, type);
    TrialNumbers x(TrialNumbers::span_of(of.terms, of.incx), type);
    TrialNumbers y(2 + TrialNumbers::span_of(of.outputs, of.incy), type);
    a.draw(engine);
    p.a = a.at(0);
    p.x = vector_of(x.at(0), of.terms, of.incx, type);
    p.y = vector_of(y.at(1), of.outputs, of.incy, type);
    x.set(p.x, of.terms, engine);
    if (!p.overwrites_y()) y.set(p.y, of.outputs, engine);
    TrialNumbers old = y;
    GemvOperands operands;
    operands.a = a.on_device(device.context, queue);
    operands.x = x.bound(x.on_device(device.context, queue), p.x);
    operands.y = y.bound(y.on_device(device.context, queue), p.y);
    GemvScratch scratch;
    if (variant.kernel.image != 0) {
      auto image = image_in_place(device, operands.a, p.rows, p.columns, type);
      if (!image) return {};  // calls do without it, too
      scratch.image = std::move(*image);
    }
    const std::size_t ticket_bytes = allocate(p, scratch);
    std::vector<int> counted(ticket_bytes / sizeof(int), 1);
    try {
      run_unless_hung(
          [&] {
            compute(p, operands, scratch);
            y.read_back(*operands.y.buffer, queue);
            if (ticket_bytes > 0)
              queue.read(*scratch.tickets, counted.data(),
                         {1, ticket_bytes, ticket_bytes, ticket_bytes, 0});
          },
          a.numbers(), x, y);
    } catch (const cl::DeviceHung&) {
      static_cast<void>(new std::vector<int>(std::move(counted)));  // the device may write it yet
      throw;
    }
    if (std::ranges::any_of(counted, [](int count) { return count != 0; }))
      return "it leaves other than zeros where the next call counts its work-groups";
    return judge(p, y, old);
  }

  // What a call takes beside its operands. Returns the bytes of tickets, which are to be zeros.
  std::size_t allocate(const GemvProblem& p, GemvScratch& scratch) {
    const GemvNeeds needs = gemv_needs(device, p, variant.kernel);
    const auto allocated = [&](std::size_t bytes) {
      return std::make_shared<cl::Buffer>(
          device.context.allocate(std::max<std::size_t>(bytes, 1), cl::Access::read_write));
    };
    scratch.sums = allocated(needs.sums);
    scratch.dense_x = allocated(needs.dense_x);
    scratch.tickets = allocated(needs.tickets);
    if (needs.tickets > 0)
      ask_later(queue.fill_with_zeros(*scratch.tickets, needs.tickets), scratch);
    return needs.tickets;
  }

  // \throws also if a command failed before the last one.
  void compute(const GemvProblem& p, const GemvOperands& operands, GemvScratch& scratch) {
    ask_later(enqueue_gemv(device, queue, p, variant, built, operands, scratch), scratch);
    queue.finish();
    require_all(queue, scratch.earlier);
  }

  static void ask_later(cl::Event event, GemvScratch& scratch) {
    scratch.earlier.push_back(std::make_shared<const cl::Event>(std::move(event)));
  }

  std::string judge(const GemvProblem& p, TrialNumbers& y, TrialNumbers& old) const {
    const VectorProduct product(p, old.at(0), y.at(0));
    if (const auto wrong = wrong_element(product.problem(), product.old_c()))
      return describe(*wrong, product.problem()) + " at " + std::to_string(p.rows) + " x " +
             std::to_string(p.columns);
    // Nothing except the elements themselves has changed.
    std::vector<char> before(static_cast<std::size_t>(p.outputs()) * element_size(p.precision));
    StridedVector of_old = p.y;
    of_old.data = old.at(0) + (static_cast<char*>(p.y.data) - y.at(0));
    gather(of_old, p.outputs(), p.precision, before.data());
    scatter(before.data(), p.outputs(), p.precision, p.y);
    return y == old ? "" : "it writes between the elements of y";
  }
};

}  // namespace

std::string what_is_wrong(const TargetDevice& device, const GemvProblem& problem,
                          const GemvVariant& variant, BuiltProgram& built, std::uint64_t seed) {
  cl::Queue queue(device.context);
  Trial trial{device, queue, variant, built};
  std::mt19937_64 engine(seed);
  for (const CoveringGemv& of : covering(device, variant, problem.transposes)) {
    const std::string wrong = trial.run(problem, of, engine);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace duoblas
