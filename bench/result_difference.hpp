// How far two results of the same product are apart.
#pragma once

#include <vector>

#include "bench/peer.hpp"

namespace duoblas {

/// The largest difference between elements of the results `x` and `y` of `problem` (as of
/// Peer::result()), in units of roundoff times k (complex: 4 k): below 1 where both are right, NaN
/// where an element of either is NaN, as what was not written is. What lies between the rows does
/// not count.
double result_difference(const PeerProblem& problem, const std::vector<char>& x,
                         const std::vector<char>& y);

}  // namespace duoblas
