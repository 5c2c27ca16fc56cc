#include "gpu/product/kernel_trial.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "check/product_check.hpp"
#include "gpu/kernels/launch.hpp"
#include "gpu/product/batched_product.hpp"
#include "gpu/product/covering_products.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

// Products with more multiply-adds are checked by a random vector (0.3 ns each on a Xeon core).
constexpr double most_madds = 3e7;

// A matrix in the host's memory, with the memory before its first element and between its rows.
struct HostMatrix {
  std::int64_t rows = 0, columns = 0, ld = 0, before = 0;
  Precision precision = Precision::s;
  std::vector<char> bytes;

  HostMatrix(std::int64_t of_rows, std::int64_t of_columns, std::int64_t of_ld,
             std::int64_t in_front, Precision type)
      : rows(of_rows), columns(of_columns), ld(of_ld), before(in_front), precision(type) {
    bytes.resize(static_cast<std::size_t>(before + rows * ld) * element_size(precision));
  }

  char* at(std::int64_t row) {
    return bytes.data() + static_cast<std::size_t>(before + row * ld) * element_size(precision);
  }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(columns) * element_size(precision);
  }

  template <typename R>
  void fill(std::mt19937_64& engine, bool with_values) {
    // A kernel that reads outside of the matrix returns NaN.
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(R))
      std::memcpy(bytes.data() + i, &nan, sizeof nan);
    if (!with_values) return;
    std::uniform_real_distribution<R> values(-1, 1);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < row_bytes(); i += sizeof(R)) {
        const R value = values(engine);
        std::memcpy(at(row) + i, &value, sizeof value);
      }
  }
  void fill(std::mt19937_64& engine, bool with_values) {
    is_double(precision) ? fill<double>(engine, with_values) : fill<float>(engine, with_values);
  }

  // Rows without gaps.
  std::vector<char> values() {
    std::vector<char> dense;
    for (std::int64_t row = 0; row < rows; ++row)
      dense.insert(dense.end(), at(row), at(row) + row_bytes());
    return dense;
  }
  void set_values(const std::vector<char>& dense) {
    for (std::int64_t row = 0; row < rows; ++row)
      std::memcpy(at(row), dense.data() + static_cast<std::size_t>(row) * row_bytes(), row_bytes());
  }
};

cl::RectCopy all_of(const HostMatrix& matrix) {
  const std::size_t bytes = matrix.bytes.size();
  return {1, bytes, bytes, bytes, 0};
}

BoundOperand on_device(const TargetDevice& device, cl::Queue& queue, const HostMatrix& matrix) {
  BoundOperand operand;
  operand.buffer = std::make_shared<cl::Buffer>(
      device.context.allocate(matrix.bytes.size(), cl::Access::read_write));
  const std::size_t element = element_size(matrix.precision);
  operand.offset_bytes = static_cast<std::size_t>(matrix.before) * element;
  operand.pitch_bytes = static_cast<std::size_t>(matrix.ld) * element;
  queue.write(*operand.buffer, matrix.bytes.data(), all_of(matrix), true);
  return operand;
}

HostMatrix matrix_a(const CoveringProduct& covering) {
  const GemmProblem& p = covering.problem;
  return {stored_rows_a(p), stored_cols_a(p), p.lda, covering.before_a, p.precision};
}
HostMatrix matrix_b(const CoveringProduct& covering) {
  const GemmProblem& p = covering.problem;
  return {stored_rows_b(p), stored_cols_b(p), p.ldb, covering.before_b, p.precision};
}

std::string text_of(const GemmProblem& p) {
  return "at m = " + std::to_string(p.m) + ", n = " + std::to_string(p.n) +
         ", k = " + std::to_string(p.k);
}

// Whether memory outside of the matrix has changed. \pre the product's own elements were taken out
// of both.
bool gaps_differ(HostMatrix& is, HostMatrix& was) {
  is.set_values(was.values());
  return is.bytes != was.bytes;
}

// Returns what is wrong with C. `old`: C before the product.
std::string judge(GemmProblem problem, HostMatrix& c, HostMatrix& old, double slack) {
  const std::vector<char> c0 = problem.overwrites_c() ? std::vector<char>() : old.values();
  problem.c = c.at(0);
  std::optional<WrongElement> wrong;
  const double madds = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                       static_cast<double>(problem.k);
  if (madds <= most_madds) {
    wrong = wrong_element(problem, c0.empty() ? nullptr : c0.data(), slack);
  } else {
    // The check copies C when it is made, so it gets the old values first.
    HostMatrix seen = c;
    problem.c = seen.at(0);
    if (!c0.empty()) seen.set_values(c0);
    ProductCheck check(problem, 1, slack);
    seen.set_values(c.values());
    wrong = check.compare().wrong;
  }
  if (wrong) return describe(*wrong, problem) + ' ' + text_of(problem);
  if (gaps_differ(c, old)) return "it writes between the rows of C " + text_of(problem);
  return {};
}

bool can_launch(const TargetDevice& device, const KernelVariant& variant, const GemmProblem& p) {
  try {
    launch(variant, p.m, p.n, p.k, {device.limits.compute_units, device.limits.loop_turns});
    return true;
  } catch (const DeviceError&) {
    return false;  // a driver that leaves long loops early is given no such products either
  }
}

// One operand of a batch's products, one behind another in one buffer.
struct HostMatrices {
  std::vector<HostMatrix> matrices;

  std::size_t bytes_of_one() const { return matrices.front().bytes.size(); }
  std::vector<char> together() const {
    std::vector<char> all;
    for (const HostMatrix& matrix : matrices)
      all.insert(all.end(), matrix.bytes.begin(), matrix.bytes.end());
    return all;
  }
  void take(const std::vector<char>& all) {
    for (std::size_t i = 0; i < matrices.size(); ++i)
      std::memcpy(matrices[i].bytes.data(), all.data() + i * bytes_of_one(), bytes_of_one());
  }
};

BatchedOperand on_device(const TargetDevice& device, cl::Queue& queue, const HostMatrices& of,
                         const std::vector<char>& bytes) {
  const HostMatrix& one = of.matrices.front();
  const std::size_t element = element_size(one.precision);
  BatchedOperand operand;
  operand.first.buffer =
      std::make_shared<cl::Buffer>(device.context.allocate(bytes.size(), cl::Access::read_write));
  operand.first.offset_bytes = static_cast<std::size_t>(one.before) * element;
  operand.first.pitch_bytes = static_cast<std::size_t>(one.ld) * element;
  operand.stride = static_cast<std::int64_t>(of.bytes_of_one() / element);
  const std::size_t size = bytes.size();
  queue.write(*operand.first.buffer, bytes.data(), {1, size, size, size, 0}, true);
  return operand;
}

// The offsets of products, in another order than in memory.
std::shared_ptr<const cl::Buffer> places_of(const TargetDevice& device,
                                            const BatchedOperands& operands,
                                            const std::vector<std::size_t>& order) {
  std::vector<std::uint64_t> places;
  for (const std::size_t at : order)
    for (const BatchedOperand* operand : {&operands.a, &operands.b, &operands.c})
      places.push_back(at * static_cast<std::uint64_t>(operand->stride));
  return std::make_shared<cl::Buffer>(
      device.context.allocate_copy(places.data(), places.size() * sizeof places.front()));
}

// Tries three products of the covering one's shape. The operands of the left and the right one have
// NaN before the first element and between rows, so that a mix-up shows.
std::string what_is_wrong_in_batch(const TargetDevice& device, cl::Queue& queue,
                                   const CoveringProduct& covering, const KernelVariant& variant,
                                   BuiltProgram& built, std::uint64_t seed) {
  const std::vector<std::size_t> order = {1, 2, 0};
  GemmProblem problem = covering.problem;
  std::mt19937_64 engine(seed);
  HostMatrices a{{order.size(), matrix_a(covering)}}, b{{order.size(), matrix_b(covering)}},
      c{{order.size(),
         HostMatrix(problem.m, problem.n, problem.ldc, covering.before_c, problem.precision)}};
  for (HostMatrix& matrix : a.matrices) matrix.fill(engine, true);
  for (HostMatrix& matrix : b.matrices) matrix.fill(engine, true);
  for (HostMatrix& matrix : c.matrices) matrix.fill(engine, !problem.overwrites_c());
  HostMatrices old = c;
  std::array<std::vector<char>, 3> bytes = {a.together(), b.together(), c.together()};
  try {
    BatchedOperands operands{on_device(device, queue, a, bytes[0]),
                             on_device(device, queue, b, bytes[1]),
                             on_device(device, queue, c, bytes[2]),
                             {}};
    if (variant.batching == Batching::table) operands.places = places_of(device, operands, order);
    run_batch_alone(device, queue, problem, static_cast<std::int64_t>(order.size()), variant, built,
                    operands);
    const std::size_t size = bytes[2].size();
    queue.read(*operands.c.first.buffer, bytes[2].data(), {1, size, size, size, 0});
  } catch (const cl::DeviceHung&) {
    // The device may go on, and read or write them then.
    static_cast<void>(new std::array<std::vector<char>, 3>(std::move(bytes)));
    throw;
  }
  c.take(bytes[2]);
  for (std::size_t i = 0; i < order.size(); ++i) {
    problem.a = a.matrices[i].at(0);
    problem.b = b.matrices[i].at(0);
    const std::string wrong =
        judge(problem, c.matrices[i], old.matrices[i], rounding_slack(variant.params));
    if (!wrong.empty()) return "of product " + std::to_string(i) + " of a batch: " + wrong;
  }
  return {};
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
    GemmProblem problem = covering.problem;
    if (!can_launch(device, variant, problem)) continue;
    if (variant.batching != Batching::none) {
      const std::string wrong =
          what_is_wrong_in_batch(device, queue, covering, variant, built, seed++);
      if (!wrong.empty()) return wrong;
      continue;
    }
    std::mt19937_64 engine(seed++);
    HostMatrix a = matrix_a(covering), b = matrix_b(covering);
    HostMatrix c(problem.m, problem.n, problem.ldc, covering.before_c, problem.precision);
    a.fill(engine, true);
    b.fill(engine, true);
    c.fill(engine, !problem.overwrites_c());
    HostMatrix old = c;
    try {
      const ProductOperands operands{on_device(device, queue, a), on_device(device, queue, b),
                                     on_device(device, queue, c)};
      if (!run_alone(device, queue, problem, variant, built, operands)) continue;
      queue.read(*operands.c.buffer, c.bytes.data(), all_of(c));
    } catch (const cl::DeviceHung&) {
      // The device may go on, and read or write them then.
      for (HostMatrix* matrix : {&a, &b, &c})
        static_cast<void>(new std::vector<char>(std::move(matrix->bytes)));
      throw;
    }
    problem.a = a.at(0);
    problem.b = b.at(0);
    const std::string wrong = judge(problem, c, old, rounding_slack(variant.params));
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace duoblas
