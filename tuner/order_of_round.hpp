// In which order candidates that are compared take their turns.
#pragma once

#include <cstddef>
#include <vector>

namespace duoblas {

/// The places 0 to count - 1 in the order of a round. What ran before a call changes its time: one
/// behind a call of the CPU is slower. So everyone runs directly behind everyone else equally often
/// in so many rounds (a number that is odd: in twice as many), and is as often first as last. After
/// them `seed` names the places anew.
std::vector<std::size_t> order_of_round(std::size_t count, int round, unsigned seed);

}  // namespace duoblas
