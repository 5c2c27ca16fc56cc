#include "plot/gnuplot.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <duoblas/error.hpp>

#include "os/program_output.hpp"
#include "plot/printable_text.hpp"

namespace duoblas {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "it gave no reason";
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

std::string output_of(const std::string& script) {
  // -d: the user's own start-up files may set anything.
  const ProgramOutput output = program_output({"gnuplot", "-d"}, script);
  if (output.start_error == ENOENT || output.start_error == EACCES)
    throw SettingError(
        "a plot needs the program gnuplot, which is not here: install the package gnuplot-nox "
        "(Debian; elsewhere gnuplot), or leave --plot out");
  if (output.start_error != 0)
    throw SettingError(std::string("gnuplot does not start: ") + std::strerror(output.start_error));
  if (!output.succeeded) throw SettingError("gnuplot failed: " + trimmed(output.messages));
  return output.text;
}

const char* terminal_name(PlotFormat format) {
  return format == PlotFormat::svg ? "svg" : "pngcairo";
}

}  // namespace

std::optional<PlotFormat> plot_format(std::string_view path) {
  if (path.ends_with(".svg")) return PlotFormat::svg;
  if (path.ends_with(".png")) return PlotFormat::png;
  return std::nullopt;
}

std::string gnuplot_terminal(PlotFormat format, PlotSize size) {
  // The two differ in how large a font of one number is.
  const bool svg = format == PlotFormat::svg;
  return std::string("set encoding utf8\nset terminal ") + terminal_name(format) + " size " +
         std::to_string(size.width) + "," + std::to_string(size.height) +
         " noenhanced font 'Sans," + (svg ? "15" : "11") + "' background '#ffffff'\n";
}

std::string gnuplot_quoted(std::string_view text) {
  std::string result = "\"";
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const char c : printable(text.substr(0, end))) {
      if (c == '"' || c == '\\') result += '\\';
      // Between backquotes gnuplot runs a command, in double quotes too.
      result += c == '`' ? "\\140" : std::string(1, c);
    }
    if (end == text.size()) return result + "\"";
    result += "\\n";
    text.remove_prefix(end + 1);
  }
}

void require_gnuplot(PlotFormat format) {
  output_of(std::string("set terminal ") + terminal_name(format) + "\n");
}

std::string gnuplot_picture(const std::string& script) {
  std::string picture = output_of(script);
  if (picture.empty()) throw SettingError("gnuplot drew nothing");
  return picture;
}

void draw_with_gnuplot(const std::string& script, const std::string& path) {
  const std::string picture = gnuplot_picture(script);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << picture;
  file.close();
  if (!file) throw SettingError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace duoblas
