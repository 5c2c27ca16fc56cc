// All inner loops of panels, for the processor that the including file is compiled for.
#pragma once

#include "cpu/lu_panel_loops.hpp"
#include "cpu/qr_panel_loops.hpp"

namespace duoblas {
namespace {

template <typename T>
constexpr PanelLoops<T> all_loops{
    largest<T>,     largest_sum<T>,        scale<T>,        eliminate<T>, update<T>,  solve_top<T>,
    invert_unit<T>, factorise_definite<T>, invert_lower<T>, products<T>,  reflect<T>, inner<T>};

}  // namespace
}  // namespace duoblas
