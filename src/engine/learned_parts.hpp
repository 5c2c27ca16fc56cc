// Everything that a process keeps for later ones, as the bytes of one file.
#pragma once

#include <optional>
#include <vector>

namespace duoblas {

struct LearnedParts {
  std::vector<unsigned char> calls;   ///< Learner::kept()
  std::vector<unsigned char> ways;    ///< WayChooser::kept()
  std::vector<unsigned char> checks;  ///< ResultChecks::kept()

  friend bool operator==(const LearnedParts&, const LearnedParts&) = default;
};

std::vector<unsigned char> to_bytes(const LearnedParts& parts);
/// Nothing: it is of another version, or damaged.
std::optional<LearnedParts> learned_parts_from(const std::vector<unsigned char>& bytes);

}  // namespace duoblas
