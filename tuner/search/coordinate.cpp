#include "tuner/search/coordinate.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace duoblas {

Coordinate::Coordinate(SearchTask task) : WalkingStrategy(std::move(task)), axes_(space()) {}

Walk<void> Coordinate::walk() {
  std::optional<Candidate> start = first_candidate(space());
  while (start) {
    co_await descend(*start);
    start = random_unknown();
  }
}

Walk<void> Coordinate::descend(Candidate from) {
  double best = co_await score_of(from);
  bool improved = true;
  while (improved) {
    improved = false;
    for (const int axis : axes_.all()) {
      const std::vector<Candidate> line = axes_.along(from, axis);
      co_await measure_unknown(line);
      for (const Candidate& candidate : line) {
        if (!(score(candidate) < best)) continue;
        best = score(candidate);
        from = candidate;
        improved = true;
      }
    }
  }
}

}  // namespace duoblas
