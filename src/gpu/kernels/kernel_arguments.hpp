// Sets a kernel's arguments one after another, with the types of kernels/README.md.
#pragma once

#include <complex>
#include <cstdint>

#include "memory/bound_operand.hpp"
#include "opencl/handles.hpp"
#include "problem/precision.hpp"

namespace duoblas {

class KernelArguments {
 public:
  KernelArguments(cl::Kernel& kernel, Precision precision)
      : kernel_(kernel), precision_(precision) {}

  KernelArguments& size(std::int64_t value) {
    kernel_.set_argument(next_++, static_cast<int>(value));
    return *this;
  }

  /// Elements from a buffer's start.
  KernelArguments& offset(std::uint64_t elements) {
    kernel_.set_argument(next_++, elements);
    return *this;
  }

  KernelArguments& scalar(std::complex<double> value) {
    switch (precision_) {
      case Precision::s: kernel_.set_argument(next_++, static_cast<float>(value.real())); break;
      case Precision::d: kernel_.set_argument(next_++, value.real()); break;
      case Precision::c: kernel_.set_argument(next_++, std::complex<float>(value)); break;
      case Precision::z: kernel_.set_argument(next_++, value); break;
    }
    return *this;
  }

  KernelArguments& operand(const BoundOperand& operand) {
    return buffer(*operand.buffer).place(operand);
  }

  /// A buffer, where element 0 is, and the increment.
  KernelArguments& vector(const BoundVector& vector) {
    return buffer(*vector.buffer)
        .offset(vector.offset_bytes / element_size(precision_))
        .size(vector.increment);
  }

  /// The same memory, through an image.
  KernelArguments& operand(const BoundOperand& operand, const cl::Image& image) {
    kernel_.set_argument(next_++, image);
    return place(operand);
  }

  KernelArguments& image(const cl::Image& value) {
    kernel_.set_argument(next_++, value);
    return *this;
  }

  /// Elements, or products.
  KernelArguments& distance(std::int64_t value) {
    kernel_.set_argument(next_++, static_cast<std::uint64_t>(value));
    return *this;
  }

  KernelArguments& buffer(const cl::Buffer& value) {
    kernel_.set_argument(next_++, value);
    return *this;
  }

 private:
  KernelArguments& place(const BoundOperand& operand) {
    const std::size_t element = element_size(precision_);
    kernel_.set_argument(next_++, std::uint64_t{operand.offset_bytes / element});
    kernel_.set_argument(next_++, std::uint64_t{operand.pitch_bytes / element});
    return *this;
  }

  cl::Kernel& kernel_;
  Precision precision_;
  unsigned next_ = 0;
};

}  // namespace duoblas
