#include "cli/kernel_explained.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas::cli {
namespace {

using Fields = std::vector<const KernelField*>;

struct Group {
  std::string_view title;
  std::vector<std::string_view> fields;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"What a work-item computes",
       {"family", "tile_rows", "tile_cols", "vector_width", "matrix", "multiply_add",
        "madd_order"}},
      {"What a work-group computes",
       {"group_rows", "group_cols", "group_depth", "assignment", "lane_order", "block_m",
        "block_n"}},
      {"Steps of k", {"k_unroll", "block_k", "k_split", "inline_sizes"}},
      {"Where the operands are read",
       {"pack_a", "pack_b", "local_a", "local_b", "image_a", "image_b", "shuffle"}},
      {"What is on its way early", {"prefetch", "async_copy", "fragments"}},
      {"In what order", {"loop_order", "raster", "resident_groups"}},
  };
  return all;
}

// The table's fields by group; those that no group names come last.
std::vector<std::pair<std::string_view, Fields>> grouped_fields() {
  std::vector<std::pair<std::string_view, Fields>> result;
  Fields rest;
  for (const KernelField& field : kernel_fields()) rest.push_back(&field);
  for (const Group& group : groups()) {
    auto& [title, fields] = result.emplace_back(group.title, Fields());
    for (const std::string_view name : group.fields) {
      const auto found = std::ranges::find(rest, name, &KernelField::name);
      if (found == rest.end()) continue;
      fields.push_back(*found);
      rest.erase(found);
    }
  }
  if (!rest.empty()) result.emplace_back("Besides", rest);
  return result;
}

// Whether another value of the field would make another kernel.
bool matters(const KernelField& field, const KernelParams& params) {
  return std::ranges::any_of(field.values, [&](int value) {
    KernelParams other = params;
    field.set(other, value);
    return canonical(other) != canonical(params);
  });
}

// Options that are no fields: kernel_options() adds them.
struct Flag {
  std::string_view name, meaning;
};
constexpr std::array<Flag, 15> kFlags = {{
    {"-cl-std", "version of OpenCL C"},
    {"-cl-nv-maxrregcount", "most registers of a work-item"},
    {"PART", "the type of a number"},
    {"PARTS", "numbers of an element: 1 real, 2 complex"},
    {"LANES", "numbers of a vector"},
    {"OP_A", "A is read 0 as stored, 1 transposed, 2 conjugate transposed"},
    {"OP_B", "the same for B"},
    {"PACKS_A", "1: A comes in tile order, from kernel pack_a"},
    {"PACKS_B", "1: B comes in tile order, from kernel pack_b"},
    {"GUARD", "0 runs always, 1 where operands suit its arithmetic, 2 where they do not"},
    {"ALIGNED",
     "rows of operands read in place lie 0 anyhow, 1 from multiples of 16 bytes on, 2 up to "
     "such too"},
    {"RUN_LANES", "neighbouring numbers of a row of C that a work-item stores at once"},
    {"QUAD_LANES", "numbers in 16 bytes"},
    {"SIZE_N", "n, compiled in"},
    {"SIZE_K", "k, compiled in"},
}};

constexpr std::size_t kValueWidth = 20;

void append_explained(Lines& lines, const std::string& name, const std::string& value,
                      std::string_view meaning) {
  std::string left = "  " + padded(name + " = " + value, kValueWidth) + ' ';
  for (const std::string& part : wrapped(std::string(meaning), kColumns - left.size())) {
    lines.push_back(left + part);
    left.assign(left.size(), ' ');
  }
}

// Without the family's name, where the meaning is of this one alone.
std::string_view meaning_of(const KernelField& field, const KernelParams& params) {
  const std::string_view family = params.family == KernelFamily::panel ? "panel: " : "tiled: ";
  const bool of_both = field.meaning.find("; ") != std::string_view::npos;
  return field.meaning.starts_with(family) && !of_both ? field.meaning.substr(family.size())
                                                       : field.meaning;
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

Lines wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  Lines result = {""};
  for (std::string word; words >> word;) {
    std::string& last = result.back();
    if (!last.empty() && last.size() + 1 + word.size() > columns)
      result.push_back(word);
    else
      last += (last.empty() ? "" : " ") + word;
  }
  return result;
}

Lines parameters_explained(const KernelParams& params) {
  Lines lines;
  for (const auto& [title, fields] : grouped_fields()) {
    const std::size_t before = lines.size();
    for (const KernelField* field : fields) {
      if (!matters(*field, params)) continue;
      append_explained(lines, std::string(field->name), std::to_string(field->get(params)),
                       meaning_of(*field, params));
    }
    if (lines.size() > before)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(before), std::string(title));
  }
  return lines;
}

Lines options_explained(const std::string& options) {
  Lines lines = {"From the element type, the ops, the call and the compiler"};
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::size_t start = word.starts_with("-D") ? 2 : 0;
    const std::string name = word.substr(start, equals - start);
    if (std::ranges::find(kernel_fields(), name, &KernelField::macro) != kernel_fields().end())
      continue;
    const auto flag = std::ranges::find(kFlags, name, &Flag::name);
    append_explained(lines, name, word.substr(equals + 1),
                     flag == kFlags.end() ? "see kernels/README.md" : flag->meaning);
  }
  return lines;
}

void print_kernel_space(std::ostream& out) {
  for (const auto& [title, fields] : grouped_fields()) {
    out << "# " << title << '\n';
    for (const KernelField* field : fields) {
      out << field->name << ": " << field->meaning << "\n    one of";
      for (const int value : field->values) out << ' ' << value;
      out << '\n';
    }
    out << '\n';
  }
  out << "# Rules, asked before anything is compiled\n";
  for (const KernelRule& rule : kernel_rules()) out << rule.name << ": " << rule.reason << '\n';
}

}  // namespace duoblas::cli
