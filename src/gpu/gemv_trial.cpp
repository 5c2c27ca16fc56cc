// Small products that cover a gemv program's code, before anybody uses it.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check/every_element.hpp"
#include "gpu/gemv.hpp"
#include "gpu/vector_product.hpp"
#include "opencl/patience.hpp"

namespace duoblas {
namespace {

// Numbers with NaN around and between them: a kernel that uses those gives NaN.
class Numbers {
 public:
  Numbers(std::size_t elements, Precision precision)
      : bytes_(elements * element_size(precision)), element_(element_size(precision)) {
    is_double(precision) ? fill_nan<double>() : fill_nan<float>();
  }

  template <typename Engine>
  void set(std::int64_t element, Engine& engine, Precision precision) {
    is_double(precision) ? draw<double>(element, engine) : draw<float>(element, engine);
  }
  char* at(std::int64_t element) { return bytes_.data() + element * static_cast<int>(element_); }
  std::size_t size() const { return bytes_.size(); }
  friend bool operator==(const Numbers& x, const Numbers& y) { return x.bytes_ == y.bytes_; }

 private:
  template <typename R>
  void fill_nan() {
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof nan)
      std::memcpy(bytes_.data() + i, &nan, sizeof nan);
  }
  template <typename R, typename Engine>
  void draw(std::int64_t element, Engine& engine) {
    std::uniform_real_distribution<R> values(-1, 1);
    for (std::size_t i = 0; i < element_; i += sizeof(R)) {
      const R value = values(engine);
      std::memcpy(at(element) + i, &value, sizeof value);
    }
  }

  std::vector<char> bytes_;
  std::size_t element_;
};

struct CoveringGemv {
  std::int64_t outputs, terms, gap, before, incx, incy;
  double alpha, beta;
};

// Whole groups and edges of odd sizes, one element, slices of a long sum, offsets, gaps, increments
// of either sign, three betas.
std::vector<CoveringGemv> covering(const OpenedDevice& device, const GemvKernel& kernel,
                                   bool transposes, bool aligned) {
  const std::int64_t width = kernel.vector_width;
  const std::int64_t across = std::int64_t{kernel.across} * width;
  const std::int64_t group = transposes ? across * kernel.lines : kernel.lines;
  const std::int64_t step = transposes ? kernel.teams : across;
  const std::int64_t long_sum = 16 * step * std::min(device.limits.compute_units + 1, 5) + 3;
  const std::int64_t unit = aligned ? 16 : 1;  // of elements: multiples of every vector's bytes
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

std::int64_t span_of(std::int64_t size, std::int64_t increment) {
  return (size - 1) * std::abs(increment) + 1;
}

std::shared_ptr<const cl::Buffer> on_device(const OpenedDevice& device, cl::Queue& queue,
                                            Numbers& numbers) {
  auto buffer =
      std::make_shared<cl::Buffer>(device.context.allocate(numbers.size(), cl::Access::read_write));
  queue.write(*buffer, numbers.at(0), {1, numbers.size(), numbers.size(), numbers.size(), 0}, true);
  return buffer;
}

BoundVector bound(std::shared_ptr<const cl::Buffer> buffer, const StridedVector& vector,
                  Numbers& numbers) {
  return {std::move(buffer),
          static_cast<std::size_t>(static_cast<char*>(vector.data) - numbers.at(0)),
          vector.increment};
}

struct Trial {
  const OpenedDevice& device;
  cl::Queue& queue;
  const GemvKernel& kernel;
  bool aligned;
  BuiltRoutine& built;

  // What is wrong with the result; empty: nothing.
  std::string run(GemvProblem p, const CoveringGemv& of, std::mt19937_64& engine) {
    const Precision type = p.precision;
    (p.transposes ? p.columns : p.rows) = of.outputs;
    (p.transposes ? p.rows : p.columns) = of.terms;
    p.alpha = of.alpha;
    p.beta = of.beta;
    p.lda = rounded(p.columns + of.gap, aligned);
    Numbers a(static_cast<std::size_t>(of.before + p.rows * p.lda), type);
    Numbers x(static_cast<std::size_t>(span_of(of.terms, of.incx)), type);
    Numbers y(static_cast<std::size_t>(2 + span_of(of.outputs, of.incy)), type);
    for (std::int64_t row = 0; row < p.rows; ++row)
      for (std::int64_t column = 0; column < p.columns; ++column)
        a.set(of.before + row * p.lda + column, engine, type);
    p.a = a.at(of.before);
    p.x = vector_of(x.at(0), of.terms, of.incx, type);
    p.y = vector_of(y.at(1), of.outputs, of.incy, type);
    const auto set = [&](Numbers& numbers, const StridedVector& vector, std::int64_t size) {
      for (std::int64_t i = 0; i < size; ++i)
        numbers.set((static_cast<char*>(behind(vector, i, type).data) - numbers.at(0)) /
                        static_cast<std::int64_t>(element_size(type)),
                    engine, type);
    };
    set(x, p.x, of.terms);
    if (!p.overwrites_y()) set(y, p.y, of.outputs);
    Numbers old = y;
    GemvOperands operands;
    const std::size_t element = element_size(type);
    operands.a = {on_device(device, queue, a), static_cast<std::size_t>(of.before) * element,
                  static_cast<std::size_t>(p.lda) * element, SharingMode::staged};
    operands.x = bound(on_device(device, queue, x), p.x, x);
    operands.y = bound(on_device(device, queue, y), p.y, y);
    operands.aligned = aligned;
    GemvScratch scratch;
    const GemvNeeds needs = gemv_needs(device, p, kernel);
    const auto allocated = [&](std::size_t bytes) {
      return std::make_shared<cl::Buffer>(
          device.context.allocate(std::max<std::size_t>(bytes, 1), cl::Access::read_write));
    };
    scratch.sums = allocated(needs.sums);
    scratch.dense_x = allocated(needs.dense_x);
    try {
      enqueue_gemv(device, queue, p, kernel, built, operands, scratch);
      queue.finish();
      require_all(queue, scratch.earlier);
      queue.read(*operands.y.buffer, y.at(0), {1, y.size(), y.size(), y.size(), 0});
    } catch (const cl::DeviceHung&) {
      // It may go on, and read or write them then.
      for (Numbers* numbers : {&a, &x, &y}) static_cast<void>(new Numbers(std::move(*numbers)));
      throw;
    }
    return judge(p, y, old);
  }

  std::string judge(const GemvProblem& p, Numbers& y, Numbers& old) const {
    const VectorProduct product(p, old.at(0), y.at(0));
    if (const auto wrong = wrong_element(product.problem(), product.old_c()))
      return describe(*wrong, product.problem()) + " at " + std::to_string(p.rows) + " x " +
             std::to_string(p.columns);
    // The elements themselves apart, nothing else has changed.
    std::vector<char> before(static_cast<std::size_t>(p.outputs()) * element_size(p.precision));
    StridedVector of_old = p.y;
    of_old.data = old.at(0) + (static_cast<char*>(p.y.data) - y.at(0));
    gather(of_old, p.outputs(), p.precision, before.data());
    scatter(before.data(), p.outputs(), p.precision, p.y);
    return y == old ? "" : "it writes between the elements of y";
  }
};

}  // namespace

std::string what_is_wrong(const OpenedDevice& device, const GemvProblem& problem,
                          const GemvKernel& kernel, bool aligned, BuiltRoutine& built,
                          std::uint64_t seed) {
  cl::Queue queue(device.context);
  Trial trial{device, queue, kernel, aligned, built};
  std::mt19937_64 engine(seed);
  for (const CoveringGemv& of : covering(device, kernel, problem.transposes, aligned)) {
    const std::string wrong = trial.run(problem, of, engine);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace duoblas
