#include "cli/kernel_listing.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <string_view>

#include "plan/kernel_fields.hpp"
#include "plan/kernel_rules.hpp"
#include "plan/op_letter.hpp"

namespace duoblas::cli {
namespace {

using Lines = std::vector<std::string>;
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
       {"group_rows", "group_cols", "assignment", "lane_order", "block_m", "block_n"}},
      {"Steps of k", {"k_unroll", "block_k", "k_split", "inline_sizes"}},
      {"Where the operands are read",
       {"pack_a", "pack_b", "local_a", "local_b", "keep_rows", "image_a", "image_b", "shuffle"}},
      {"What is on its way early", {"prefetch", "async_copy", "fragments"}},
      {"In what order", {"loop_order", "raster"}},
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

// Macros that are no fields: kernel_options() adds them.
struct Flag {
  std::string_view name, meaning;
};
constexpr std::array<Flag, 13> kFlags = {{
    {"PART", "the type of a number"},
    {"PARTS", "numbers of an element: 1 real, 2 complex"},
    {"LANES", "numbers of a vector"},
    {"OP_A", "A is read 0 as stored, 1 transposed, 2 conjugate transposed"},
    {"OP_B", "the same for B"},
    {"PACKS_A", "1: A comes in tile order, from kernel pack_a"},
    {"PACKS_B", "1: B comes in tile order, from kernel pack_b"},
    {"GUARD", "0 runs always, 1 where operands suit its arithmetic, 2 where they do not"},
    {"ALIGNED", "1: rows of operands read in place start at multiples of 16 bytes"},
    {"RUN_LANES", "neighbouring numbers of a row of C that a work-item stores at once"},
    {"QUAD_LANES", "numbers in 16 bytes"},
    {"SIZE_N", "n, compiled in"},
    {"SIZE_K", "k, compiled in"},
}};

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

constexpr std::size_t kValueWidth = 20;

Lines field_lines(const KernelParams& params) {
  Lines lines;
  for (const auto& [title, fields] : grouped_fields()) {
    const std::size_t before = lines.size();
    for (const KernelField* field : fields) {
      if (!matters(*field, params)) continue;
      const std::string value =
          std::string(field->name) + " = " + std::to_string(field->get(params));
      lines.push_back("  " + padded(value, kValueWidth) + ' ' + std::string(field->meaning));
    }
    if (lines.size() > before)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(before), std::string(title));
  }
  return lines;
}

Lines flag_lines(const std::string& options) {
  Lines lines = {"From the element type, the ops and the call"};
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (!word.starts_with("-D") || equals == std::string::npos) continue;
    const std::string name = word.substr(2, equals - 2);
    if (std::ranges::find(kernel_fields(), name, &KernelField::macro) != kernel_fields().end())
      continue;
    const auto flag = std::ranges::find(kFlags, name, &Flag::name);
    lines.push_back("  " + padded(name + " = " + word.substr(equals + 1), kValueWidth) + ' ' +
                    (flag == kFlags.end() ? "see kernels/README.md" : std::string(flag->meaning)));
  }
  return lines;
}

// The first sentence of the comment that a file starts with, in lines of so many columns.
Lines first_sentence(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  Lines result = {""};
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    std::istringstream words(line.substr(2));
    for (std::string word; words >> word;) {
      std::string& last = result.back();
      if (!last.empty() && last.size() + 1 + word.size() > columns)
        result.push_back(word);
      else
        last += (last.empty() ? "" : " ") + word;
      if (word.ends_with('.')) return result;
    }
  }
  return result;
}

// `above`: the lines of the listing over these.
Lines file_lines(const std::vector<KernelFile>& files, std::size_t above) {
  std::size_t width = 0, listed = 0;
  for (const KernelFile& file : files) width = std::max(width, file.name.size());
  std::vector<Lines> sentences;
  for (const KernelFile& file : files) {
    sentences.push_back(first_sentence(file.text, 100 - 12 - width));
    listed += sentences.back().size();
  }
  // Behind these lines come the options and the empty line that ends the comment.
  std::size_t start = above + listed + 3;
  Lines lines;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string number = std::to_string(start);
    std::string left = std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  " +
                       padded(files[i].name, width) + "  ";
    for (const std::string& part : sentences[i]) {
      lines.push_back("  " + left + part);
      left.assign(left.size(), ' ');
    }
    start += static_cast<std::size_t>(std::ranges::count(files[i].text, '\n'));
  }
  return lines;
}

std::string alignment_text(const KernelVariant& variant) {
  KernelVariant other = variant;
  other.aligned = false;
  if (normalised(other).aligned || (packs_a(variant) && packs_b(variant)))
    return "The kernel is the same however the operands lie in memory.";
  return variant.aligned
             ? "For operands whose rows start at multiples of 16 bytes; --unaligned shows the "
               "other."
             : "For operands whose rows start anywhere; without --unaligned, at multiples of 16 "
               "bytes.";
}

}  // namespace

std::string name_of(const KernelVariant& variant) {
  return std::string(1, letter(variant.precision)) + "gemm " + letter(variant.op_a) +
         letter(variant.op_b);
}

std::vector<std::string> kernels_of(const KernelVariant& variant) {
  std::vector<std::string> kernels;
  if (packs_a(variant)) kernels.emplace_back("pack_a");
  if (packs_b(variant)) kernels.emplace_back("pack_b");
  kernels.emplace_back("gemm");
  if (variant.params.k_split > 1) kernels.emplace_back("reduce");
  return kernels;
}

void print_kernel(const ChosenKernel& kernel, const std::vector<KernelFile>& files,
                  std::ostream& out) {
  const KernelVariant& variant = kernel.variant;
  const std::string options = kernel_options(variant);
  Lines lines = {name_of(variant) + ": " + kernel.origin, describe(variant.params), ""};
  const auto append = [&](const Lines& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  std::string runs = "A product runs";
  for (const std::string& name : kernels_of(variant)) runs += ' ' + name;
  lines.push_back(runs + ". Contract and pictures: kernels/README.md.");
  if (variant.guard != Guard::none)
    lines.push_back("Kernel guard (guard.cl) decides; an exact kernel stands by.");
  lines.push_back(alignment_text(variant));
  append({"", "Parameters; in the source their names are in capitals.", ""});
  append(field_lines(variant.params));
  append(flag_lines(options));
  append({"", "Files, as they follow from the line on that is named first"});
  append(file_lines(files, lines.size()));
  lines.push_back("Compiled with: " + options);
  for (const std::string& text : lines) out << (text.empty() ? "//" : "// ") << text << '\n';
  out << '\n';
  for (const KernelFile& file : files) out << file.text;
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
