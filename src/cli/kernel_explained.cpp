#include "cli/kernel_explained.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string_view>

#include "cli/text_table.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas::cli {
namespace {

// Options that are no fields: kernel_options() adds them.
struct Flag {
  std::string_view name, meaning;
};
constexpr std::array<Flag, 16> kFlags = {{
    {"-cl-std", "version of OpenCL C"},
    {"-cl-nv-maxrregcount", "most registers of a work-item"},
    {"PART", "the type of a number"},
    {"PARTS", "numbers of an element: 1 real, 2 complex"},
    {"LANES", "numbers of a vector"},
    {"LANES_A", "numbers of a vector along m"},
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

std::string_view only(FieldFamily family) {
  switch (family) {
    case FieldFamily::panel: return "panel: ";
    case FieldFamily::tiled: return "tiled: ";
    case FieldFamily::both: break;
  }
  return "";
}

}  // namespace

Lines parameters_explained(const KernelParams& params, KernelTable table) {
  Lines lines;
  for (const FieldGroup& group : grouped_fields(table)) {
    const std::size_t before = lines.size();
    for (const KernelField* field : group.fields) {
      if (!matters(*field, params, table)) continue;
      append_explained(lines, std::string(field->name), std::to_string(field->get(params)),
                       field->meaning);
    }
    if (lines.size() > before)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(before), std::string(group.title));
  }
  return lines;
}

Lines options_explained(const std::string& options, KernelTable table) {
  Lines lines = {"From the element type, the ops, the call and the compiler"};
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::size_t start = word.starts_with("-D") ? 2 : 0;
    const std::string name = word.substr(start, equals - start);
    if (std::ranges::find(table, name, &KernelField::macro) != table.end()) continue;
    const auto flag = std::ranges::find(kFlags, name, &Flag::name);
    append_explained(lines, name, word.substr(equals + 1),
                     flag == kFlags.end() ? "see kernels/README.md" : flag->meaning);
  }
  return lines;
}

void print_kernel_space(std::ostream& out, KernelTable table) {
  for (const FieldGroup& group : grouped_fields(table)) {
    out << "# " << group.title << '\n';
    for (const KernelField* field : group.fields) {
      out << field->name << ": " << only(field->family) << field->meaning << "\n    one of";
      for (const int value : field->values) out << ' ' << value;
      out << '\n';
    }
    out << '\n';
  }
  out << "# Rules, asked before anything is compiled\n";
  for (const KernelRule& rule : kernel_rules()) out << rule.name << ": " << rule.reason << '\n';
}

}  // namespace duoblas::cli
