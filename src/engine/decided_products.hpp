// The products that the device computes in the steps of a decided call.
#pragma once

#include <variant>
#include <vector>

#include "engine/engine.hpp"

namespace duoblas {

/// Whether `has` holds of each, with its plan. All are asked.
template <typename Has>
bool all_products(const Engine& engine, const std::vector<CallStep>& steps, Has&& has) {
  bool all = true;
  for (const CallStep& step : steps)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      all &= has(product->problem, product->plan);
    else if (const auto* call = std::get_if<DeviceCall>(&step))
      for (const auto& [of_kernel, plan] : engine.products_of(*call)) all &= has(of_kernel, plan);
    else if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      for (const auto& [of_kernel, plan] : engine.products_of(*factors))
        all &= has(of_kernel, plan);
  return all;
}

/// Seconds to keep what checks of first results need; 0: nothing is kept.
inline double seconds_of_first_checks(const Engine& engine, const std::vector<CallStep>& steps) {
  double seconds = 0;
  for (const CallStep& step : steps)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      seconds += engine.seconds_of_first_check(product->problem, product->plan);
    else if (const auto* job = std::get_if<DeviceCall>(&step))
      seconds += engine.seconds_of_first_check(*job);
    else if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      seconds += engine.seconds_of_first_check(*factors);
  return seconds;
}

}  // namespace duoblas
