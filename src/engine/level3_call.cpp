#include "engine/level3_call.hpp"

#include <cstdio>

#include "gpu/device/opened_device.hpp"
#include "memory/registered_memory.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
const Launches& Level3Call::launches() {
  steps_.assign(1, DeviceCall{parts_.gpu, 0, plan, parts_.in_place});
  return launches_;
}

void Level3Call::start(GpuSide& gpu) {
  const Level3Problem& p = parts_.gpu;
  if (plan.sharing == SharingMode::staged &&
      any_is_registered({rect_of_a(p), has_b(p.routine) ? rect_of_b(p) : HostRect(), rect_of_c(p)}))
    plan.sharing = SharingMode::pinned;
  job_.emplace(start_level3(
      gpu.device(), parts_.gpu, plan.kernel, block_sizes(parts_.gpu, parts_.in_place, plan.kernel),
      {parts_.in_place, parts_.of_host, plan.sharing == SharingMode::pinned}));
}

void Level3Call::wait() {
  job_->wait();
  times_ = job_->times();
}

void Level3Call::end() noexcept {
  job_.reset();
  check_.reset();
}

// From now on jobs are not trusted, for any routine. Single products still are, because their own
// results are checked.
Suspect Level3Call::suspect(const ResultChecks& checks) const noexcept {
  Suspect suspect;
  std::snprintf(suspect.call, sizeof suspect.call, "%c%s", letter(precision()),
                name(parts_.gpu.routine));
  suspect.as = " as one job";
  suspect.results = "such jobs";
  suspect.instead = "such calls are done by halves from now on";
  suspect.unchecked = checks.unchecked_jobs();
  return suspect;
}

}  // namespace duoblas
