// The climbed steps as a picture, drawn by gnuplot.
#pragma once

#include <string>

#include "bench/ladder_climb.hpp"

namespace duoblas {

/// To be called before anything is measured. \throws SettingError where `path` ends neither in .svg
/// nor in .png, or gnuplot is not there; the message names the package.
void check_plot(const std::string& path);

/// Horizontal bars of GFLOPS, one per step from the top and other libraries' below, with quartiles;
/// steps without a time say why. \throws SettingError where gnuplot fails or `path` cannot be
/// written.
void plot_ladder(const Climbed& climbed, const std::string& title, const std::string& path);

}  // namespace duoblas
