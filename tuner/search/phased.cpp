#include "tuner/search/phased.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace duoblas {

Phased::Phased(SearchTask task) : WalkingStrategy(std::move(task)), axes_(space()) {}

Walk<void> Phased::walk() {
  std::optional<Candidate> start = first_candidate(space());
  while (start) {
    Candidate best = *start;
    co_await score_of(best);
    bool moved = true;
    while (moved) {
      moved = false;
      for (const int axis : axes_.all()) {
        const std::vector<Candidate> line = axes_.along(best, axis);
        const int place = static_cast<int>(std::ranges::find(line, best) - line.begin());
        const int found = co_await lowest(line, place);
        moved |= found != place;
        best = line[static_cast<std::size_t>(found)];
      }
    }
    start = random_unknown();
  }
}

Walk<bool> Phased::is_lower(std::vector<Candidate> line, int place, int than) {
  if (place < 0 || place >= static_cast<int>(line.size())) co_return false;
  const double there = co_await score_of(line[static_cast<std::size_t>(place)]);
  co_return there < score(line[static_cast<std::size_t>(than)]);
}

Walk<int> Phased::lowest(std::vector<Candidate> line, int place) {
  for (const int direction : {1, -1}) {
    int stride = 1;
    const int start = place;
    bool lower = co_await is_lower(line, place + direction, place);
    while (lower) {
      place += direction * stride;
      stride *= 2;
      lower = co_await is_lower(line, place + direction * stride, place);
    }
    if (place == start) continue;
    // The valley lies between the last two steps.
    for (stride /= 2; stride >= 1; stride /= 2) {
      const bool ahead = co_await is_lower(line, place + direction * stride, place);
      if (ahead) place += direction * stride;
      const bool behind = !ahead && co_await is_lower(line, place - direction * stride, place);
      if (behind) place -= direction * stride;
    }
    break;
  }
  co_return place;
}

}  // namespace duoblas
