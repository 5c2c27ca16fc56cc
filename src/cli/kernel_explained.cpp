#include "cli/kernel_explained.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string_view>

#include "cli/text_table.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "problem/op_letter.hpp"

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

// The first sentence of the comment that a file starts with.
std::string first_sentence(const std::string& text) {
  std::istringstream lines(text);
  std::string sentence;
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    std::istringstream words(line.substr(2));
    for (std::string word; words >> word;) {
      sentence += (sentence.empty() ? "" : " ") + word;
      if (word.ends_with('.')) return sentence;
    }
  }
  return sentence;
}

// `above`: the number of lines of the listing before these.
Lines file_lines(const std::vector<KernelFile>& files, std::size_t above) {
  std::size_t width = 0, listed = 0;
  for (const KernelFile& file : files) width = std::max(width, file.name.size());
  std::vector<Lines> sentences;
  for (const KernelFile& file : files) {
    sentences.push_back(wrapped(first_sentence(file.text), kColumns - 11 - width));
    listed += sentences.back().size();
  }
  // After these lines come the options and the empty line that ends the comment.
  std::size_t start = above + listed + 3;
  Lines lines;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string left = padded(std::to_string(start), 5, TextTable::Align::right) + "  " +
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
  other.rows = Rows::anyhow;
  if (normalised(other).rows != Rows::anyhow)
    return "The kernel is the same however the operands lie in memory.";
  return variant.rows != Rows::anyhow
             ? "For operands whose rows start and end at multiples of 16 bytes; --unaligned shows "
               "the "
               "other."
             : "For operands whose rows start anywhere; without --unaligned, at multiples of 16 "
               "bytes.";
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

std::string name_of(const KernelVariant& variant) {
  return std::string(1, letter(variant.precision)) + "gemm " + letter(variant.op_a) +
         letter(variant.op_b);
}

std::vector<std::string> kernels_of(const KernelVariant& variant) {
  if (is_by_integers(variant.params))
    return {"measure", "bound", "certify", "residues", "multiply", "store"};
  std::vector<std::string> kernels;
  if (packs_a(variant)) kernels.emplace_back("pack_a");
  if (packs_b(variant)) kernels.emplace_back("pack_b");
  kernels.emplace_back("gemm");
  if (variant.params.k_split > 1 || variant.params.split_last) kernels.emplace_back("reduce");
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
    lines.push_back(
        std::string(packing_marks(variant) ? "Packing (suited.clh)" : "Kernel guard (guard.cl)") +
        " decides; an exact kernel stands by.");
  if (is_by_integers(variant.params))
    append({"Numbers are rounded to multiples of a power of two for each row and column. Their",
            "product is a whole number, computed modulo 14 to 20 numbers without common factors,",
            "a byte each: as many moduli as certify gemm's error bound, or nothing is written.",
            "Residues tell the whole number (Chinese remainder theorem), which is rounded once",
            "(docs/design/integers.md)."});
  lines.push_back(alignment_text(variant));
  append({"", "Parameters; in the source their names are in capitals.", ""});
  append(parameters_explained(variant.params));
  append(options_explained(options));
  append({"", "Files, as they follow from the line on that is named first"});
  append(file_lines(files, lines.size()));
  lines.push_back("Compiled with: " + options);
  for (const std::string& text : lines) out << (text.empty() ? "//" : "// ") << text << '\n';
  out << '\n';
  for (const KernelFile& file : files) out << file.text;
}

}  // namespace duoblas::cli
