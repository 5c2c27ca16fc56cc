#include "cli/kernel_table.hpp"

#include <algorithm>
#include <optional>

#include "cli/text_table.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_replacement.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/product_rows.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas::cli {
namespace {

std::string conditions_of(const BuiltInRow& row) {
  std::string text;
  for (const auto& [name, comparison, value] : row.when)
    text += (text.empty() ? "" : ", ") + std::string(name) + ' ' + std::string(comparison) + ' ' +
            significant(value, 6);
  return text;
}

// How a kernel is written in the table: without what a call or a device changes of a row.
std::string as_in_table(KernelParams kernel) {
  kernel.multiply_add = MultiplyAdd::fma;
  return describe(with_whole_tiles(kernel));
}

// A rule that the row's kernel breaks on the device, in words; empty: none.
std::string broken_rule(const BuiltInRow& row, Precision precision, const DeviceLimits& limits) {
  if (!row.kernel.starts_with("tiled")) return {};
  KernelParams kernel = kernel_from(row.kernel);
  const KernelRule* rule = violated_rule(kernel, precision, limits);
  if (rule == nullptr) return {};
  kernel.multiply_add = MultiplyAdd::plain;
  rule = violated_rule(kernel, precision, limits);
  return rule == nullptr ? "" : std::string(rule->name) + ": " + std::string(rule->reason);
}

// The rows that this product takes on this device, of every use that has some; and why it takes no
// other.
class TakenRows {
 public:
  TakenRows(const GemmProblem& p, const DeviceLimits& limits, const PlanMachine* here)
      : p_(p), limits_(limits), here_(here) {}

  bool contain(const BuiltInRow& row, bool is_first_of_its_use) const {
    if (unmet(row)) return false;
    if (row.kernel == "built in") return replacement(row).has_value();
    if (row.use == "last tiles") return kernel("resident")->split_last;
    if (row.use == "panel tile") return row.kernel == tile();
    if (row.use == "panel block") return row.kernel == block();
    if (!row.kernel.starts_with("tiled")) return is_first_of_its_use;
    const std::optional<KernelParams> taken = kernel(row.use);
    return taken && row.kernel == as_in_table(*taken);
  }

  std::string why_not(const BuiltInRow& row) const {
    if (row.kernel == "built in" && !replacement(row))
      return here_ == nullptr || !here_->tuned(p_.precision).profile
                 ? "there is no profile here"
                 : "the profile has a kernel for this use, or none";
    if (const auto number = unmet(row)) return *number;
    if (std::string rule = broken_rule(row, p_.precision, limits_); !rule.empty()) return rule;
    if (row.use == "refused") return "when a driver has refused others";
    if (row.use == "last tiles") return "tiles share out evenly, or a split takes longer";
    if (row.use == "call" || row.use.starts_with("odd rows")) return "instead of another kernel";
    const bool is_rated = row.number("rate", 0) > 0;
    return is_rated ? "not of the least time" : "another row comes first";
  }

 private:
  // What the row would replace; nothing: there is no profile, or it decides for this use.
  std::optional<KernelReplacement> replacement(const BuiltInRow& row) const {
    if (here_ == nullptr || !here_->tuned(p_.precision).profile) return std::nullopt;
    const ProfileInUse& own = here_->tuned(p_.precision);
    const KernelUse use = use_named(row.use);
    const TunedPoint* tuned = nearest_point(*own.profile, p_);
    if (tuned == nullptr || nearest_point(*own.profile, p_, use) != nullptr) return std::nullopt;
    return KernelReplacement{use, adapted_choice(tuned->gpu, *tuned, p_, *here_).kernel,
                             own.match == ProfileMatch::exact, built_in_kernel(use, p_, limits_)};
  }

  // A condition of the row that the call or the device does not meet, in words.
  std::optional<std::string> unmet(const BuiltInRow& row) const {
    const auto replaced = row.kernel == "built in" ? replacement(row) : std::nullopt;
    const KernelParams resident = built_in_kernel(KernelUse::resident, p_, limits_);
    const auto number = [&](std::string_view name) -> std::optional<double> {
      if (replaced) return number_for(name, *replaced, p_, limits_);
      if (name == "async_copy") return resident.async_copy ? 1 : 0;
      return number_for(name, p_, limits_);
    };
    const BuiltInRow::Condition* condition = row.unmet(number);
    if (condition == nullptr) return std::nullopt;
    return std::string(condition->name) + " is " + significant(*number(condition->name), 6);
  }

  // Nothing: no kernel of this use.
  std::optional<KernelParams> kernel(std::string_view use) const {
    const KernelParams usual = default_kernel(p_.precision, limits_),
                       of_size = default_kernel(p_, limits_);
    const KernelParams resident = built_in_kernel(KernelUse::resident, p_, limits_);
    if (use == "whole") return usual;
    if (use == "resident") return resident;
    if (use == "small" || use == "by size")
      return use == "small" || of_size == usual ? of_size : with_whole_tiles(resident);
    if (use == "call") {
      const KernelParams of_calls = built_in_kernel(KernelUse::call, p_, limits_);
      return of_calls == of_size ? std::nullopt : std::optional(of_calls);
    }
    if (use == "odd rows") {
      const KernelParams odd = kernel_for_odd_rows(resident, p_, limits_);
      return odd == resident ? std::nullopt : std::optional(odd);
    }
    if (use == "odd rows packed") return packed_kernel_for_odd_rows(resident, p_, limits_);
    if (use == "tf32x3" || use == "tf32x3 wide") return tf32x3_kernel(p_, limits_);
    if (use == "batch") return batched_kernel(p_, limits_);
    return std::nullopt;
  }

  std::string tile() const {
    const KernelParams p = default_kernel(p_.precision, limits_);
    const int rows = p.tile_rows * (is_complex(p_.precision) ? 2 : 1);
    return std::to_string(rows) + 'x' + std::to_string(p.tile_cols / p.vector_width);
  }

  std::string block() const {
    const KernelParams p = default_kernel(p_.precision, limits_);
    return std::to_string(p.block_m) + 'x' + std::to_string(p.block_n) + 'x' +
           std::to_string(p.block_k);
  }

  const GemmProblem& p_;
  const DeviceLimits& limits_;
  const PlanMachine* here_;
};

bool is_for_tuning(const BuiltInRow& row) {
  return row.use.find("search") != std::string_view::npos;
}

}  // namespace

std::vector<KernelTableRow> kernel_table(const GemmProblem& product, const DeviceLimits& limits,
                                         const PlanMachine* here) {
  const TakenRows taken(product, limits, here);
  std::vector<KernelTableRow> table;
  for (const BuiltInRow& row : built_in_rows()) {
    if (row.of_cpu != limits.is_cpu || !row.is_for(product.precision) || is_for_tuning(row))
      continue;
    const auto is_of_use = [&](const KernelTableRow& other) { return other.use == row.use; };
    const bool is_first = std::ranges::none_of(table, is_of_use);
    const bool has_taken = std::ranges::any_of(
        table, [&](const KernelTableRow& other) { return is_of_use(other) && other.is_taken; });
    KernelTableRow& shown = table.emplace_back();
    shown.use = row.use;
    shown.when = conditions_of(row);
    shown.kernel = row.kernel;
    shown.from = row.from;
    shown.is_taken = !has_taken && taken.contain(row, is_first);
    shown.why = shown.is_taken ? "taken" : taken.why_not(row);
  }
  return table;
}

std::vector<std::string> lines_of(const std::vector<KernelTableRow>& table) {
  std::vector<std::string> lines;
  const KernelTableRow* above = nullptr;
  for (const KernelTableRow& row : table) {
    if (above == nullptr || above->use != row.use) lines.push_back(row.use);
    if (above == nullptr || above->use != row.use || above->from != row.from)
      lines.push_back("  from " + row.from);
    lines.push_back((row.is_taken ? "  * " : "    ") + row.kernel);
    lines.push_back("        " + (row.when.empty() ? "" : row.when + ": ") + row.why);
    above = &row;
  }
  return lines;
}

nlohmann::json json_of(const std::vector<KernelTableRow>& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const KernelTableRow& row : table)
    rows.push_back({{"use", row.use},
                    {"when", row.when},
                    {"kernel", row.kernel},
                    {"from", row.from},
                    {"taken", row.is_taken},
                    {"why", row.why}});
  return rows;
}

}  // namespace duoblas::cli
