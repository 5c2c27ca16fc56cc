// The charts of a comparison as a picture file.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// \throws UsageError for an ending other than .svg and .png, Error if the file cannot be written.
/// Call it before anything is measured.
void require_picture_name(const std::string& path);

/// Draws with gnuplot and says so. If gnuplot is missing or fails, leaves the script with its data
/// beside the picture's name, says how to make the picture from it, and returns false. \throws
/// Error if there is nothing to draw, or a file cannot be written.
bool draw_picture(const BenchRecord& record, const std::string& path, std::ostream& out);

}  // namespace duoblas::cli
