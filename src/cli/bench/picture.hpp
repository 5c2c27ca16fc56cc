// The charts of a comparison as a picture file.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// \throws UsageError for an ending other than .svg and .png, Error where it cannot be written. To
/// be called before anything is measured.
void require_picture_name(const std::string& path);

/// Draws with gnuplot and says so. Where gnuplot is not there, or fails, leaves the script with the
/// data in it beside the picture's name, and says how it becomes a picture: false then. \throws
/// Error where nothing was measured that could be drawn, or a file cannot be written.
bool draw_picture(const BenchRecord& record, const std::string& path, std::ostream& out);

}  // namespace duoblas::cli
