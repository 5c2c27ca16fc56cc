// Colours, markers and dashes that tell the lines of a chart apart, the same in every back-end.
#pragma once

#include <array>

namespace duoblas {

struct ChartLook {
  const char* colour;
  const char* colour_on_dark;
  int gnuplot_marker;        ///< pointtype
  const char* marker_class;  ///< of the SVG
  const char* marker_path;   ///< of the SVG, around 0,0
  int gnuplot_dashes;        ///< dashtype
  const char* dash_array;    ///< of the SVG; empty: solid
};

namespace chart_shapes {
inline constexpr const char* circle = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z";
inline constexpr const char* square = "M-4-4H4V4H-4z";
inline constexpr const char* triangle = "M0-5.5L5 3.5H-5z";
inline constexpr const char* triangle_down = "M0 5.5L5-3.5H-5z";
inline constexpr const char* diamond = "M0-6L5 0L0 6L-5 0z";
}  // namespace chart_shapes

// Okabe and Ito's colours, which differ for every common kind of colour blindness. Their yellow is
// too pale for lines on white, so grey replaces it. The markers distinguish lines without colour.
// On a dark page the dark colours are lighter; their order by hue stays.
inline constexpr std::array<ChartLook, 8> chart_looks = {{
    {"#0072B2", "#4FA8E0", 7, "filled", chart_shapes::circle, 1, ""},
    {"#E69F00", "#E69F00", 5, "filled", chart_shapes::square, 2, "8 4"},
    {"#009E73", "#2BC79A", 9, "filled", chart_shapes::triangle, 3, "2 3"},
    {"#D55E00", "#F07A3A", 11, "filled", chart_shapes::triangle_down, 4, "8 3 2 3"},
    {"#CC79A7", "#DB93B9", 13, "filled", chart_shapes::diamond, 5, "12 4"},
    {"#56B4E9", "#8FD0F5", 6, "open", chart_shapes::circle, 1, ""},
    {"#000000", "#F0F0F0", 4, "open", chart_shapes::square, 2, "8 4"},
    {"#777777", "#A0A0A0", 8, "open", chart_shapes::triangle, 3, "2 3"},
}};

}  // namespace duoblas
