#include "cli/kernel_listing.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "cli/kernel_explained.hpp"
#include "cli/text_table.hpp"
#include "kernel_space/kernel_description.hpp"
#include "problem/op_letter.hpp"

namespace duoblas::cli {
namespace {

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

std::string name_of(const KernelVariant& variant) {
  return std::string(1, letter(variant.precision)) + "gemm " + letter(variant.op_a) +
         letter(variant.op_b);
}

std::vector<std::string> kernels_of(const KernelVariant& variant) {
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
