// Operands of small trials: numbers with NaN around and between them, so that a kernel that reads
// those returns NaN.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "memory/bound_operand.hpp"
#include "opencl/handles.hpp"
#include "opencl/wait_deadline.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// A vector's numbers in a buffer of their own.
template <typename T>
std::shared_ptr<const cl::Buffer> copied_to(const cl::Context& context, cl::Queue& queue,
                                            const std::vector<T>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(T);
  auto buffer = std::make_shared<cl::Buffer>(context.allocate(bytes, cl::Access::read_write));
  queue.write(*buffer, numbers.data(), {1, bytes, bytes, bytes, 0}, true);
  return buffer;
}
template <typename T>
void copy_back(cl::Queue& queue, const cl::Buffer& from, std::vector<T>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(T);
  queue.read(from, numbers.data(), {1, bytes, bytes, bytes, 0});
}

class TrialNumbers {
 public:
  TrialNumbers(std::int64_t elements, Precision precision)
      : precision_(precision),
        element_(static_cast<std::int64_t>(element_size(precision))),
        bytes_(static_cast<std::size_t>(elements * element_)) {
    is_double(precision) ? fill_nan<double>() : fill_nan<float>();
  }

  /// Draws one element.
  template <typename Engine>
  void set(std::int64_t element, Engine& engine) {
    is_double(precision_) ? draw<double>(element, engine) : draw<float>(element, engine);
  }
  /// Draws the elements of a vector in this memory.
  template <typename Engine>
  void set(const StridedVector& vector, std::int64_t size, Engine& engine) {
    for (std::int64_t i = 0; i < size; ++i)
      set((static_cast<char*>(behind(vector, i, precision_).data) - at(0)) / element_, engine);
  }
  char* at(std::int64_t element) { return bytes_.data() + element * element_; }
  std::size_t size() const { return bytes_.size(); }
  friend bool operator==(const TrialNumbers& x, const TrialNumbers& y) {
    return x.bytes_ == y.bytes_;
  }

  /// Leaks the memory, because a device that does not end may go on, and read or write it then.
  void abandon() { static_cast<void>(new std::vector<char>(std::move(bytes_))); }

  std::shared_ptr<const cl::Buffer> on_device(const cl::Context& context, cl::Queue& queue) {
    return copied_to(context, queue, bytes_);
  }
  void read_back(const cl::Buffer& buffer, cl::Queue& queue) { copy_back(queue, buffer, bytes_); }
  /// The vector in a buffer that holds these numbers.
  BoundVector bound(std::shared_ptr<const cl::Buffer> buffer, const StridedVector& vector) {
    return {std::move(buffer), static_cast<std::size_t>(static_cast<char*>(vector.data) - at(0)),
            vector.increment};
  }

  /// Elements from a vector's first address to its last.
  static std::int64_t span_of(std::int64_t size, std::int64_t increment) {
    return (size - 1) * std::abs(increment) + 1;
  }

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
    for (std::int64_t i = 0; i < element_; i += static_cast<std::int64_t>(sizeof(R))) {
      const R value = values(engine);
      std::memcpy(at(element) + i, &value, sizeof value);
    }
  }

  Precision precision_;
  std::int64_t element_;
  std::vector<char> bytes_;
};

/// A matrix, or several of one shape: `before` elements in front of each, and rows `ld` apart.
class TrialMatrix {
 public:
  TrialMatrix(std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t before,
              Precision precision, std::int64_t count = 1)
      : rows_(rows),
        columns_(columns),
        ld_(ld),
        before_(before),
        count_(count),
        element_(element_size(precision)),
        numbers_(count * stride(), precision) {}

  TrialNumbers& numbers() { return numbers_; }
  /// Elements from one matrix to the next.
  std::int64_t stride() const { return before_ + rows_ * ld_; }
  /// The number of an element in numbers().
  std::int64_t place(std::int64_t row, std::int64_t column, std::int64_t matrix = 0) const {
    return matrix * stride() + before_ + row * ld_ + column;
  }
  char* at(std::int64_t row, std::int64_t matrix = 0) { return numbers_.at(place(row, 0, matrix)); }
  /// Draws all elements of all.
  template <typename Engine>
  void draw(Engine& engine) {
    for (std::int64_t matrix = 0; matrix < count_; ++matrix)
      for (std::int64_t row = 0; row < rows_; ++row)
        for (std::int64_t column = 0; column < columns_; ++column)
          numbers_.set(place(row, column, matrix), engine);
  }

  /// The first one, in a buffer with all.
  BoundOperand on_device(const cl::Context& context, cl::Queue& queue) {
    return {numbers_.on_device(context, queue), static_cast<std::size_t>(before_) * element_,
            static_cast<std::size_t>(ld_) * element_, SharingMode::staged};
  }
  void read_back(const BoundOperand& from, cl::Queue& queue) {
    numbers_.read_back(*from.buffer, queue);
  }

  /// A matrix, with rows without gaps.
  std::vector<char> values(std::int64_t matrix = 0) {
    std::vector<char> dense;
    for (std::int64_t row = 0; row < rows_; ++row)
      dense.insert(dense.end(), at(row, matrix), at(row, matrix) + row_bytes());
    return dense;
  }
  void set_values(const std::vector<char>& dense, std::int64_t matrix = 0) {
    for (std::int64_t row = 0; row < rows_; ++row)
      std::memcpy(at(row, matrix), dense.data() + static_cast<std::size_t>(row) * row_bytes(),
                  row_bytes());
  }
  /// Whether anything beside the elements is not as it was.
  bool differs_beside(TrialMatrix was) {
    for (std::int64_t matrix = 0; matrix < count_; ++matrix) was.set_values(values(matrix), matrix);
    return !(numbers_ == was.numbers_);
  }

 private:
  std::size_t row_bytes() const { return static_cast<std::size_t>(columns_) * element_; }

  std::int64_t rows_, columns_, ld_, before_, count_;
  std::size_t element_;
  TrialNumbers numbers_;
};

/// Runs something that has ended when it returns. Where the device hangs, the memory that it may
/// still use is leaked.
template <typename Run, typename... Numbers>
void run_unless_hung(Run&& run, Numbers&... used) {
  try {
    run();
  } catch (const cl::DeviceHung&) {
    (used.abandon(), ...);
    throw;
  }
}

}  // namespace duoblas
