// How far two results of the same product are apart.
#pragma once

#include <vector>

#include "bench/peer.hpp"

namespace duoblas {

/// The largest difference between elements of the results `x` and `y` of `problem` (as of
/// Peer::result()), in units of roundoff times k (complex: 4 k). Below 1 if both are right. NaN if
/// an element of either is NaN, as elements are that were not written. What lies between the rows
/// does not count.
double result_difference(const PeerProblem& problem, const std::vector<char>& x,
                         const std::vector<char>& y);

}  // namespace duoblas
