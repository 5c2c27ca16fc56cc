// The climbed steps as text, and as a picture that gnuplot draws.
#pragma once

#include <iosfwd>
#include <string>

#include "bench/ladder_climb.hpp"

namespace duoblas {

/// A table of speeds, other libraries' last, then each step's explanation and its kernel, in lines
/// of at most 100 columns.
void print_ladder(const Climbed& climbed, std::ostream& out);

/// To be called before anything is measured. \throws SettingError where `path` ends neither in .svg
/// nor in .png, or gnuplot is not there; the message names the package.
void check_plot(const std::string& path);

/// Horizontal bars of GFLOPS, one per step from the top and other libraries' below, with quartiles;
/// steps without a time say why. \throws SettingError where gnuplot fails or `path` cannot be
/// written.
void plot_ladder(const Climbed& climbed, const std::string& title, const std::string& path);

}  // namespace duoblas
