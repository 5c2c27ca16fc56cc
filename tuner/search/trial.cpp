// Trials in their normal form, so that equal ones are found again.
#include "tuner/search/strategy.hpp"

namespace duoblas {

Trial normal_form(Trial trial) {
  Candidate& c = trial.candidate;
  if (trial.sides == Sides::gpu || is_on_device(trial.sides)) c.cpu = c.gpu_parts = 0;
  if (trial.sides == Sides::cpu) c = {0, 0, c.cpu, 0};
  return trial;
}

Trial gpu_trial(int kernel, int sharing) {
  return {{kernel, sharing, 0, 0}, Sides::gpu};
}

Trial cpu_trial(int cpu) {
  return {{0, 0, cpu, 0}, Sides::cpu};
}

Trial both_trial(const Candidate& candidate) {
  return {candidate, Sides::both};
}

}  // namespace duoblas
