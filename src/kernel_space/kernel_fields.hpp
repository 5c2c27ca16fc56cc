// The table of the kernel parameters, and what is made from it: numbers with names, groups, the
// order of a search. The one-line text is made in kernel_description.hpp; the rows are in
// kernel_field_table.cpp. Functions take the table as an argument so that a test can add a row.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// Which family uses a field. The other has it at its default.
enum class FieldFamily { both, panel, tiled };

/// A field in the one-line text of a kernel.
struct FieldToken {
  enum class When {
    unless_default,
    where_it_matters,  ///< unless other fields make it meaningless (canonical_kernel.hpp)
    always
  };
  static constexpr int at_the_end = 1000;

  /// `#` stands for the value; or one text per legal value, separated by `|`. Leading spaces are
  /// printed.
  std::string_view text;
  When when = When::unless_default;
  int place = at_the_end;  ///< in the line, ascending
};

/// One row of the table. To add a parameter: add this row, a member of KernelParams, and the code
/// in kernels/; and a rule if not every value goes with all others.
struct KernelField {
  /// A member of KernelParams as a number.
  struct Member {
    int (*get)(const KernelParams&) = nullptr;
    void (*set)(KernelParams&, int) = nullptr;
    std::size_t bytes = 0;
  };
  /// How much a family's speed depends on the field. More important fields are searched earlier.
  struct Importance {
    int panel = 0, tiled = 0;
  };

  std::string_view name;   ///< in JSON and in output
  std::string_view macro;  ///< the -D flag's name; empty: only the launch uses it
  Member member;
  std::span<const int> values;  ///< the legal values, ascending
  FieldFamily family = FieldFamily::both;
  std::string_view group;  ///< the title under which it is explained
  Importance importance;
  FieldToken token;
  std::string_view meaning;
  FieldToken panel_token = {};  ///< where the panel family's line has another

  int get(const KernelParams& params) const { return member.get(params); }
  void set(KernelParams& params, int value) const { member.set(params, value); }
  int default_value() const { return get(KernelParams{}); }
  bool is_legal(int value) const;
  bool is_used_by(KernelFamily user) const;
};

/// Makes a row's accessors: they convert numbers from and to the member's own type.
template <auto member>
inline constexpr KernelField::Member number_of = {
    [](const KernelParams& params) { return static_cast<int>(params.*member); },
    [](KernelParams& params, int value) {
      using Type = std::remove_reference_t<decltype(params.*member)>;
      params.*member = static_cast<Type>(value);
    },
    sizeof(KernelParams{}.*member)};

using KernelTable = std::span<const KernelField>;

KernelTable kernel_fields();

/// Field names and values, for JSON.
std::map<std::string, int> to_fields(const KernelParams& params,
                                     KernelTable table = kernel_fields());
/// \throws SettingError naming the field that is unknown or has an illegal value.
void set_field(KernelParams& params, const std::string& name, int value,
               KernelTable table = kernel_fields());
/// The same of many. An absent field gets its default, so a file from before the field existed
/// keeps its meaning.
KernelParams from_fields(const std::map<std::string, int>& fields,
                         KernelTable table = kernel_fields());

/// Indices of the table, each once: the most important for the family first, ties in the table's
/// order.
std::vector<int> fields_by_importance(KernelFamily family, KernelTable table = kernel_fields());

struct FieldGroup {
  std::string_view title;
  std::vector<const KernelField*> fields;
};
/// Groups with their fields, in the order in which they first appear in the table.
std::vector<FieldGroup> grouped_fields(KernelTable table = kernel_fields());

}  // namespace duoblas
