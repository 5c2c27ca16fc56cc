#include "tuner/search/exhaustive.hpp"

namespace duoblas {

Walk<void> Exhaustive::walk() {
  std::vector<Candidate> all;
  for_each_candidate(space(), [&](const Candidate& c) { all.push_back(c); });
  // All shares of one choice of the rest are a batch: they are compared with one another.
  const auto parts = static_cast<std::size_t>(space().parts);
  for (std::size_t first = 0; first + parts <= all.size(); first += parts) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    co_await measure_unknown({begin, begin + static_cast<std::ptrdiff_t>(parts)});
  }
}

}  // namespace duoblas
