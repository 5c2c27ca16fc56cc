// What kernels that were not measured may cost, from those that were.
#pragma once

#include <map>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// A Gaussian process over the logarithms of costs: kernels that agree in many fields are alike,
/// and a field's value tends to do the same in every kernel. Its covariance is half a product over
/// the fields (neighbours are alike) and half a sum (what a field does carries over). Source: C. E.
/// Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006, algorithm 2.1.
class KernelSurrogate {
 public:
  /// \pre best guesses first.
  explicit KernelSurrogate(const std::vector<KernelParams>& kernels);

  struct Prediction {
    double log_cost = 0;
    double deviation = 0;  ///< standard, of the logarithm
  };

  /// For every kernel, from the costs of some by their indices. \pre costs are finite and above 0,
  /// and there is one.
  std::vector<Prediction> predict(const std::map<int, double>& costs, double spread = 0.2) const;

 private:
  /// 1 of a kernel with itself, less the more they differ.
  double likeness(int x, int y) const;

  std::vector<std::vector<int>> places_;  ///< of each kernel's fields among their values
  std::vector<double> fade_;              ///< of likeness, by steps apart
};

}  // namespace duoblas
