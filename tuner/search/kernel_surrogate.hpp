// Predicts the costs of kernels that were not measured from those that were.
#pragma once

#include <map>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// A Gaussian process over the logarithms of costs. Kernels that agree in many fields are similar,
/// and a field's value tends to have the same effect in every kernel. So its covariance is half a
/// product over the fields, for similar kernels, and half a sum, for effects of single fields.
/// Source: C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006,
/// algorithm 2.1.
class KernelSurrogate {
 public:
  /// \pre best guesses first.
  explicit KernelSurrogate(const std::vector<KernelParams>& kernels);

  struct Prediction {
    double log_cost = 0;
    double deviation = 0;  ///< standard deviation of the logarithm
  };

  /// Predictions for every kernel. `costs`: measured ones by index. \pre costs are finite and above
  /// 0, and there is one.
  std::vector<Prediction> predict(const std::map<int, double>& costs, double spread = 0.2) const;

 private:
  /// 1 for a kernel and itself, and less the more two kernels differ.
  double likeness(int x, int y) const;

  std::vector<std::vector<int>> places_;  ///< of each kernel's fields among their values
  std::vector<double> fade_;              ///< of likeness, by the number of steps
};

}  // namespace duoblas
