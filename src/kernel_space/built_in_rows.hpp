// The rows of facts/kernels.txt, which is embedded at build: kernels as text, and what they are
// for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/precision.hpp"

namespace duoblas {

struct BuiltInRow {
  /// "size <= 16", or "rate = 0.9".
  struct Condition {
    std::string_view name, comparison;
    double value = 0;

    bool holds(double number) const;
  };

  std::string_view use;  ///< "whole", "batch", "gemv t" ...
  bool of_cpu = false;   ///< of OpenCL CPU devices; else of GPUs
  std::string_view types;
  std::vector<Condition> when;
  std::string_view kernel;  ///< as describe() writes it
  std::string_view from;    ///< the device, day and program that found it, and the page

  bool is_for(Precision precision) const;
  /// Whether a call or device for which this number is `value` meets the row's conditions about it.
  bool suits(std::string_view name, double value) const;
  /// The first condition that is not met; null: none. `number_of(name)`: what a condition is about,
  /// or nothing where it is not about this call.
  template <typename NumberOf>
  const Condition* unmet(const NumberOf& number_of) const {
    for (const Condition& condition : when)
      if (const std::optional<double> number = number_of(condition.name))
        if (!condition.holds(*number)) return &condition;
    return nullptr;
  }
  /// What the row says that this number is.
  double number(std::string_view name, double otherwise) const;
};

/// Of a text in that format; it must outlive the rows. \throws SettingError naming the line.
std::vector<BuiltInRow> built_in_rows_of(std::string_view text);

/// Those of the file, in its order. Read once.
std::span<const BuiltInRow> built_in_rows();

/// The kernel of the first row of this use for the type and kind of device. \throws SettingError.
std::string_view built_in_text(std::string_view use, bool of_cpu, Precision precision);

}  // namespace duoblas
