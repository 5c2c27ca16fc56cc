// The ranks of a job on one host count together: who ends last has the sums, and prints them.
//
// They share a file in memory (/dev/shm), named by the user and the job: who takes part and has not
// ended, the sums, and a line about each. A lock (flock) makes them take turns; who waits too long
// for his, or finds a file that is not the job's, counts alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

namespace duoblas {

struct RanksTogether {
  std::vector<double> sums;
  std::map<int, std::string> about;  ///< each rank, by its number
};

/// This process takes part. Without a word where that cannot be told to the others.
void join_ranks(const Rank& rank) noexcept;

/// This process has ended, and counted so much. Nothing: others have not, and will tell. Its own
/// counts, if they cannot be told. \throws std::bad_alloc.
std::optional<RanksTogether> leave_ranks(const Rank& rank, const std::vector<double>& counts,
                                         const std::string& about);

}  // namespace duoblas
