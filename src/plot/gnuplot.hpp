// Draws pictures with the program gnuplot, if it is installed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace duoblas {

enum class PlotFormat { svg, png };

/// By the ending of a file's name, .svg or .png; nothing for others.
std::optional<PlotFormat> plot_format(std::string_view path);

struct PlotSize {
  int width = 1000;  ///< pixels
  int height = 600;
};

/// The script's first lines: UTF-8, a white background, a font that both formats show alike, and
/// the picture to the standard output, so that no file name is ever read as gnuplot's language.
std::string gnuplot_terminal(PlotFormat format, PlotSize size);

/// The text as a string of gnuplot's language: nothing in it is executed or ends the string. '\n'
/// starts a new line of the picture; characters that cannot be shown become '?'.
std::string gnuplot_quoted(std::string_view text);

/// Call it before anything is measured. \throws SettingError if gnuplot is missing (the message
/// names the package), or if it cannot draw this format.
void require_gnuplot(PlotFormat format);

/// The output of gnuplot for a script that begins with gnuplot_terminal(). No shell and no settings
/// of the user's are involved. \throws SettingError with gnuplot's own message if it fails.
std::string gnuplot_picture(const std::string& script);

/// gnuplot_picture() into a file. \throws SettingError, also if `path` cannot be written.
void draw_with_gnuplot(const std::string& script, const std::string& path);

}  // namespace duoblas
