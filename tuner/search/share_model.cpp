#include "tuner/search/share_model.hpp"

#include <algorithm>

namespace duoblas {

double ShareModel::seconds(int gpu_parts) const {
  return std::max(gpu_whole * gpu_parts, cpu_whole * (parts - gpu_parts)) / parts;
}

int ShareModel::best_share() const {
  if (!(gpu_whole > 0) || !(cpu_whole > 0)) return (parts + 1) / 2;
  int best = 1;
  for (int share = 2; share < parts; ++share)
    if (seconds(share) < seconds(best)) best = share;
  return best;
}

ShareModel share_model(const CallSample& corun, int gpu_parts, const ShareModel& before) {
  ShareModel model = before;
  if (corun.gpu > 0 && gpu_parts > 0) model.gpu_whole = corun.gpu * model.parts / gpu_parts;
  const int cpu_parts = model.parts - gpu_parts;
  if (corun.cpu > 0 && cpu_parts > 0) model.cpu_whole = corun.cpu * model.parts / cpu_parts;
  return model;
}

}  // namespace duoblas
