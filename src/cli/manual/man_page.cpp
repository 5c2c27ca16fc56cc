#include "cli/manual/command_tree.hpp"

#include <array>
#include <cctype>
#include <sstream>
#include <vector>

#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

struct VariableEntry {
  const char* name;
  const char* meaning;
};

/// Short: docs/commands.md has the whole of it. cli.manual compares the names with those that
/// src/api/settings.cpp reads.
constexpr std::array<VariableEntry, 20> environment_entries{{
    {"DUOBLAS_STRATEGY", "auto (default), cpu, gpu or hybrid"},
    {"DUOBLAS_SPLIT", "P_G/P, e.g. 10/16: the GPU's share wherever both sides work"},
    {"DUOBLAS_FP64", "auto (default), native or integers: how a GPU multiplies doubles"},
    {"DUOBLAS_MATH", "exact (default) or tf32x3: sgemm and cgemm by TF32, as accurate as floats"},
    {"DUOBLAS_CHECK", "which of the GPU's results are checked: sampled (default), always or off"},
    {"DUOBLAS_DEVICE", "index or part of the name of an OpenCL device, or none"},
    {"DUOBLAS_DEVICE_MEMORY", "bytes of the device that a product may use, e.g. 2G"},
    {"DUOBLAS_LAUNCH_MS", "milliseconds that a kernel launch may take, so that a display goes on"},
    {"DUOBLAS_GPU_DEADLINE", "seconds after which a GPU that does not answer counts as hung"},
    {"DUOBLAS_PROFILE_DIR", "where profiles live; default $XDG_CONFIG_HOME/duoblas"},
    {"DUOBLAS_CACHE_DIR",
     "compiled kernels, and what calls showed; default $XDG_CACHE_HOME/duoblas"},
    {"DUOBLAS_KERNEL_DIR", "read kernels from here instead of the embedded ones"},
    {"DUOBLAS_START_MS",
     "milliseconds that a preloaded program's large calls must have taken before the device "
     "starts"},
    {"DUOBLAS_HISTORY", "off: nothing of a preloaded program is kept for its later runs"},
    {"DUOBLAS_ADAPT", "0: plans follow the profile alone, and not the times of calls"},
    {"DUOBLAS_CPU_BLAS", "path of the CPU BLAS library"},
    {"DUOBLAS_CPU_CORES", "cores the CPU side may use, e.g. 0-3,8"},
    {"DUOBLAS_STANDIN", "1: PoCL on half of the cores stands in for a GPU"},
    {"DUOBLAS_SUMMARY", "1: a preloaded program prints at its end what became of its calls"},
    {"DUOBLAS_VERBOSE", "0 silent, 1 decisions once, 2 a line per call with its reason"},
}};

/// As text of a line: roff takes a backslash for its own, and a bare "-" for a hyphen that no
/// search or copy finds again.
std::string troff_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

/// A line of text that begins with "." or "'" would be a request.
std::string line_of(const std::string& text) {
  const bool is_request = !text.empty() && (text.front() == '.' || text.front() == '\'');
  return (is_request ? "\\&" : "") + troff_escaped(text) + "\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + troff_escaped(text) + "\\fR";
}
std::string italic(const std::string& text) {
  return "\\fI" + troff_escaped(text) + "\\fR";
}

std::string tag_of(const OptionEntry& option, bool positional) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += (tag.empty() ? "" : ", ") + (positional ? italic(name) : bold(name));
  if (!option.value.empty()) tag += " " + italic(option.value);
  return ".TP\n" + tag + "\n";
}

std::string text_of(const OptionEntry& option) {
  std::string text = option.description + ".";
  if (!option.choices.empty()) text += " One of " + joined(option.choices, ", ") + ".";
  if (!option.limits.empty()) text += " " + option.limits + ".";
  if (!option.standard.empty()) text += " Default: " + option.standard + ".";
  const bool says_so = option.description.find("repeatable") != std::string::npos;
  if (option.repeatable && !says_so) text += " May be repeated.";
  return line_of(text);
}

std::string options_of(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.positionals)
    text += tag_of(option, true) + text_of(option);
  for (const OptionEntry& option : command.options) text += tag_of(option, false) + text_of(option);
  return text;
}

std::string synopsis_of(const CommandEntry& command) {
  std::string text = bold(command.name) + " [" + italic("OPTION") + "]...";
  for (const OptionEntry& option : command.positionals) {
    const std::string name = italic(option.value.empty() ? option.names.front() : option.value);
    text += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) text += " [" + italic("SUBCOMMAND") + " ...]";
  if (command.takes_program)
    text += " [" + bold("--") + "] " + italic("PROGRAM") + " [" + italic("ARGUMENT") + "]...";
  return text + "\n";
}

/// Examples and tables: as they are.
std::string verbatim(const std::string& text) {
  std::istringstream lines(text);
  std::string result = ".nf\n";
  for (std::string line; std::getline(lines, line);)
    result += line.empty() ? ".sp\n" : line_of(line);
  return result + ".fi\n";
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string environment() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const VariableEntry& variable : environment_entries)
    text += ".TP\n" + bold(variable.name) + "\n" + line_of(std::string(variable.meaning) + ".");
  return text;
}

std::string see_also(const CommandEntry& command, const CommandEntry& root) {
  std::string text;
  const auto add = [&](const CommandEntry& other) {
    if (other.name == command.name) return;
    text += (text.empty() ? "" : ", ") + bold(man_page_name(other)) + "(1)";
  };
  add(root);
  for (const CommandEntry& other : root.subcommands) add(other);
  return ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string man_page_name(const CommandEntry& command) {
  std::string name = command.name;
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string man_page(const CommandEntry& command, const CommandEntry& root,
                     const std::string& version) {
  const std::string name = man_page_name(command);
  std::string page = ".TH " + troff_escaped(upper(name)) + " 1 \"\" \"DuoBLAS " + version +
                     "\" \"User Commands\"\n";
  page += ".SH NAME\n" + troff_escaped(name) + " \\- " + troff_escaped(command.description) + "\n";
  page += ".SH SYNOPSIS\n" + synopsis_of(command);
  page += ".SH OPTIONS\n" + options_of(command);
  if (!command.subcommands.empty()) page += ".SH COMMANDS\n";
  for (const CommandEntry& sub : command.subcommands) {
    if (&command == &root) {  // each has a page
      page += ".TP\n" + bold(sub.name) + "\n" + line_of(sub.description + ".");
      continue;
    }
    page += ".SS " + troff_escaped(sub.last_name()) + "\n" + line_of(sub.description + ".");
    page += ".PP\n" + synopsis_of(sub) + options_of(sub);
    if (!sub.notes.empty()) page += ".PP\n" + verbatim(sub.notes);
  }
  if (!command.notes.empty()) page += ".SH NOTES\n" + verbatim(command.notes);
  if (&command == &root) page += environment();
  return page + see_also(command, root);
}

}  // namespace duoblas::cli
