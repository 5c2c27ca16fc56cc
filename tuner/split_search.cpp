#include "tuner/split_search.hpp"

#include <algorithm>
#include <set>

namespace duoblas {

SplitFound search_split(SplitRange range, int start, int step, const SplitCost& cost) {
  SplitFound found;
  found.gpu_parts = std::clamp(start, range.low, range.high);
  std::set<int> tried = {found.gpu_parts};
  step = std::max(step, 1);
  while (true) {
    std::vector<int> batch = {found.gpu_parts};
    for (const int next : {found.gpu_parts - step, found.gpu_parts + step})
      if (next >= range.low && next <= range.high && tried.insert(next).second)
        batch.push_back(next);
    if (batch.size() == 1 && found.evaluations > 0) {
      if (step == 1) return found;
      step /= 2;
      continue;
    }
    const std::vector<double> seconds = cost(batch);
    found.evaluations = static_cast<int>(tried.size());
    const auto best = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
    found.gpu_parts = batch[static_cast<std::size_t>(best)];
    found.seconds = seconds[static_cast<std::size_t>(best)];
  }
}

}  // namespace duoblas
