// The kernel space as it was, and with one axis more. KernelParams stays as it is: one real field
// is taken out of both spaces, and the new axis uses its member.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas::test {

constexpr std::string_view taken_row = "raster";
constexpr std::array made_up_values = {1, 3, 9};

/// Searched in tiled kernels between group_rows and group_cols, told between fit and packA.
inline KernelField made_up_axis() {
  KernelField axis;
  axis.name = "made_up";
  axis.macro = "MADE_UP";
  axis.member = number_of<&KernelParams::raster>;
  axis.values = made_up_values;
  axis.family = FieldFamily::tiled;
  axis.group = "In what order";
  axis.importance = {.panel = 0, .tiled = 195};
  axis.token = {" made_up#", FieldToken::When::unless_default, 255};
  axis.meaning = "by how many tiles a band is moved";
  return axis;
}

inline int& made_up(KernelParams& params) {
  return params.raster;
}

inline std::vector<KernelField> space_before() {
  std::vector<KernelField> rows;
  for (const KernelField& row : kernel_fields())
    if (row.name != taken_row) rows.push_back(row);
  return rows;
}

inline std::vector<KernelField> wider_space() {
  std::vector<KernelField> rows = space_before();
  rows.push_back(made_up_axis());
  return rows;
}

}  // namespace duoblas::test
