// QR of a matrix that the device holds: the host factorises panels, the device does all updates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>

#include "engine/device_updates.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "problem/partition.hpp"

namespace duoblas {

constexpr std::int64_t end_of(const Interval& panel) {
  return panel.first + panel.count;
}

/// `panel` becomes the last factorised one, or {0, 0}. Returns how many of the columns behind it
/// have arrived and are up to date. After a failure of the device, or if memory is short for it,
/// the others had no update at all.
///
/// `Work` is one factorisation: panel_at(first), before_panel(device), factorise(panel, device),
/// columns(), last_panels_end(), before_update(device), timed(member of FactorTimes, work).
template <typename Work>
std::int64_t update_held_matrix(Work& work, Interval& panel, const DeviceFactorisation& call,
                                FactorsOnDevice& factors, DeviceUpdates& device) {
  panel = {0, 0};
  std::int64_t arrived = 0;
  bool is_in_panel = false;  // nobody can do it again if memory is short in it
  try {
    Interval next = work.panel_at(0);
    work.timed(&FactorTimes::copies, [&] { factors.send(end_of(next)); });
    for (bool is_last = false; !is_last;) {
      work.timed(&FactorTimes::copies, [&] { work.before_panel(factors); });
      is_in_panel = true;
      work.factorise(next, factors);
      is_in_panel = false;
      panel = next;
      const std::int64_t end = end_of(panel), behind = work.columns() - end;
      is_last = behind <= resident_rest(call.width) || end == work.last_panels_end();
      next = is_last ? Interval{end, behind} : work.panel_at(end);
      work.timed(&FactorTimes::copies, [&] {
        work.before_update(factors);
        factors.apply(panel, next);
      });
      factors.wait_for_next();
      if (is_last) arrived = next.count;
    }
    factors.finish();
    device.done();
  } catch (const std::exception&) {
    if (is_in_panel) throw;
    arrived = std::max(arrived, factors.abandon());
    device.failed();
  }
  return arrived;
}

}  // namespace duoblas
