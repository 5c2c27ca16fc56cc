// Many independent calls of BLAS, in groups of one shape each: what the CPU's side divides among
// its threads.
#pragma once

#include <cstdint>

#include "problem/batch_problem.hpp"
#include "problem/halving.hpp"

namespace duoblas {

/// A group's calls: how many, what each one computes, and the elements that it writes.
struct GroupWork {
  std::int64_t count = 0;
  double flops = 0, elements = 0;

  bool empty() const { return count == 0 || !(elements > 0); }
};

/// Refers to the caller's matrices. No call reads or writes what another one writes.
class ManyCalls {
 public:
  virtual ~ManyCalls() = default;
  virtual std::int64_t groups() const = 0;
  virtual GroupWork work(std::int64_t group) const = 0;
  virtual Step call(std::int64_t group, std::int64_t number) const = 0;
};

/// The products of a batch, which outlives this.
class ProductCalls final : public ManyCalls {
 public:
  explicit ProductCalls(const BatchProblem& batch) : batch_(batch) {}

  std::int64_t groups() const override { return static_cast<std::int64_t>(batch_.groups.size()); }
  GroupWork work(std::int64_t group) const override {
    const BatchGroup& of = at(group);
    const double elements = static_cast<double>(of.shape.m) * static_cast<double>(of.shape.n);
    return {of.count, of.shape.only_scales_c() ? 0 : flops(of.shape), elements};
  }
  Step call(std::int64_t group, std::int64_t number) const override {
    return at(group).product(number);
  }

 private:
  const BatchGroup& at(std::int64_t group) const {
    return batch_.groups[static_cast<std::size_t>(group)];
  }

  const BatchProblem& batch_;
};

}  // namespace duoblas
