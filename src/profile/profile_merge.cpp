// Adds a new tuning to an older profile: what was not tuned anew stays.
#include <algorithm>
#include <string>

#include "profile/profile.hpp"

namespace duoblas {
namespace {

bool has_points(const Profile& profile, std::size_t index) {
  return std::any_of(profile.points.begin(), profile.points.end(),
                     [=](const TunedPoint& p) { return precision_index(p.precision) == index; });
}

// The newer note, then the older one, which may still be about points that stay.
std::string joined_notes(const std::string& older, const std::string& newer) {
  if (older.empty() || newer.find(older) != std::string::npos) return newer;
  const std::string both = newer + (newer.empty() ? "" : " Before: ") + older;
  return both.size() <= Profile::longest_note ? both : newer;
}

bool same_case(const TunedPoint& x, const TunedPoint& y) {
  return x.precision == y.precision && x.op_a == y.op_a && x.op_b == y.op_b && x.m == y.m &&
         x.n == y.n && x.k == y.k;
}

// Adds the kernels that only the older profile has.
void add(TunedGemvs& tuned, const TunedGemvs& older) {
  for (std::size_t i = 0; i < tuned.size(); ++i)
    for (std::size_t form = 0; form < tuned[i].size(); ++form)
      if (!tuned[i][form]) tuned[i][form] = older[i][form];
}

}  // namespace

Profile merged(const Profile& older, const Profile& newer) {
  Profile result = newer;
  for (const TunedPoint& point : older.points) {
    const bool again = std::any_of(newer.points.begin(), newer.points.end(),
                                   [&](const TunedPoint& p) { return same_case(p, point); });
    if (!again) result.points.push_back(point);
  }
  if (result.points.size() > newer.points.size()) {
    result.note = joined_notes(older.note, newer.note);
    result.doubt = joined_notes(older.doubt, newer.doubt);
  }
  if (!result.memory.are_known()) result.memory = older.memory;
  add(result.gemv, older.gemv);
  for (std::size_t i = 0; i < precision_count; ++i) {
    if (result.crossover_flops[i] == 0) result.crossover_flops[i] = older.crossover_flops[i];
    if (result.updates[i].c_bytes == 0) result.updates[i] = older.updates[i];
    if (has_points(older, i) && !has_points(newer, i)) {
      result.cpu[i] = older.cpu[i];
      result.cpu_all[i] = older.cpu_all[i];
    }
  }
  return result;
}

}  // namespace duoblas
