// Whether a library that starts programs hears how they end, in a process whose program has its own
// ways with children.
#pragma once

#include <string>

namespace duoblas {

/// What the program has set that takes the status of children from us; empty: nothing.
std::string why_children_are_lost();
/// Starts a child that ends at once, and looks whether its status is ours. Empty: it is.
std::string fate_of_a_child();

}  // namespace duoblas
