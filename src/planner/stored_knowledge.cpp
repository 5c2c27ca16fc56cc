// Converts what calls showed to bytes, for later processes of the same build on the same
// machine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "planner/learner.hpp"
#include "planner/stored_records.hpp"
#include "planner/way_chooser.hpp"

namespace duoblas {
namespace {

// Increase it when the bytes, or the predictions that they are about, change.
constexpr std::uint32_t format = 13;
// No other part's bytes.
constexpr std::uint32_t kind_of_shared = 0x73686172, kind_of_classes = 0x636c6173,
                        kind_of_ways = 0x77617973;

constexpr CallKind::Group usual_groups[] = {CallKind::products, CallKind::streams};

// They are stored as they are in memory, so they must have no padding.
static_assert(sizeof(SharedFactor) == 2 * sizeof(double) + sizeof(std::uint64_t));
static_assert(sizeof(ClassFactor) ==
              6 * sizeof(double) + 7 * sizeof(float) + 2 * sizeof(unsigned) + 2 + 2 * sizeof(bool));

bool has_numbers(const SharedFactor& factor) {
  return std::isfinite(factor.mean) && factor.variance >= 0 && std::isfinite(factor.variance);
}

// Damaged bytes may hold another value, which must not be read as a bool.
bool is_bool(const bool& stored) {
  static_assert(sizeof stored == 1);
  unsigned char byte;
  std::memcpy(&byte, &stored, 1);
  return byte <= 1;
}

bool has_numbers(const ClassFactor& factor) {
  return std::isfinite(factor.mean) && std::isfinite(factor.published) && factor.variance >= 0 &&
         std::isfinite(factor.variance) && factor.noise >= 0 && std::isfinite(factor.noise) &&
         factor.slope_variance >= 0 && std::isfinite(factor.slope_variance) &&
         std::isfinite(factor.slope) && std::isfinite(factor.published_slope) &&
         std::isfinite(factor.log_part) && std::isfinite(factor.before_change) &&
         std::isfinite(factor.covariance) &&
         std::isfinite(factor.unseen.all() + factor.unseen.waited) && is_bool(factor.warmed) &&
         is_bool(factor.may_be_cold);
}

ClassFactor as_process_begins(ClassFactor factor) {
  factor.warmed = factor.warmed && factor.seen > 0;  // another process has threads of its own
  factor.unseen.before += std::exchange(factor.unseen.here, 0);
  factor.changed_at = 0;
  return factor;
}

// A way has the place of a kind of work.
static_assert(way_count == timed_models);

/// What is known of a family or a class, or with key 0 of a group.
template <typename Factor>
struct Stored {
  std::uint64_t key = 0, group = 0;
  std::array<Factor, timed_models> factors;

  CallKind::Group group_of_calls() const { return static_cast<CallKind::Group>(group); }
  bool is_sound() const {
    return group < kind_groups && CallKind{0, 0, group_of_calls(), false}.is_usual() &&
           std::ranges::all_of(factors, [](const Factor& one) { return has_numbers(one); });
  }
};

template <typename Factor, typename Table>
void add_places(std::vector<Stored<Factor>>& records, const Table& table) {
  table.for_each([&](const auto& place) {
    const Stored<Factor> record{place.key, place.group, place.factors};
    if (record.is_sound()) records.push_back(record);
  });
}

}  // namespace

std::vector<unsigned char> Learner::kept() const {
  std::vector<Stored<SharedFactor>> shared;
  for (const CallKind::Group group : usual_groups) shared.push_back({0, group, all_[group]});
  add_places(shared, families_);
  std::vector<Stored<ClassFactor>> classes;
  add_places(classes, classes_);
  std::vector<unsigned char> bytes = bytes_of(kind_of_shared, format, shared);
  const std::vector<unsigned char> others = bytes_of(kind_of_classes, format, classes);
  bytes.insert(bytes.end(), others.begin(), others.end());
  return bytes;
}

bool Learner::restore(const std::vector<unsigned char>& kept) {
  const auto shared = records_of<Stored<SharedFactor>>(kind_of_shared, format, kept);
  const auto classes = records_of<Stored<ClassFactor>>(kind_of_classes, format, kept);
  if (!shared || !classes) return false;
  for (const auto& record : *shared)
    if (record.key == 0)
      all_[record.group] = record.factors;
    else
      families_.find_or_take(record.key, record.group_of_calls(), 0).factors = record.factors;
  for (const auto& record : *classes) {
    if (record.key == 0) continue;
    auto& factors = classes_.find_or_take(record.key, record.group_of_calls(), 0).factors;
    std::ranges::transform(record.factors, factors.begin(), [](const ClassFactor& stored) {
      ClassFactor factor = as_process_begins(stored);
      factor.run = factor.bounds = 0;  // a first call that is cold goes on with no row of slow ones
      return factor;
    });
  }
  return true;
}

std::vector<unsigned char> WayChooser::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Stored<ClassFactor>> records;
  for (const auto& [key, ways] : classes_) {
    Stored<ClassFactor> record{key, 0, {}};
    for (std::size_t i = 0; i < way_count; ++i)
      record.factors[i] = as_process_begins(ways.of(static_cast<Way>(i)).known);
    const auto was_done = [](const ClassFactor& one) { return one.seen > 0 || one.bounds > 0; };
    if (is_stored(key) && record.is_sound() && std::ranges::any_of(record.factors, was_done))
      records.push_back(record);
  }
  return bytes_of(kind_of_ways, format, records);
}

bool WayChooser::restore(const std::vector<unsigned char>& kept) {
  const auto records = records_of<Stored<ClassFactor>>(kind_of_ways, format, kept);
  const auto is_known = [](const Stored<ClassFactor>& record) { return is_stored(record.key); };
  if (!records || !std::ranges::all_of(*records, is_known)) return false;
  const std::lock_guard guard(mutex_);
  // A drop-in sees calls before it has opened the device whose times these are.
  for (const auto& record : *records)
    for (std::size_t i = 0; i < way_count; ++i)
      if (ClassFactor& known = classes_[record.key].of(static_cast<Way>(i)).known; known.seen == 0)
        known = record.factors[i];
  return true;
}

}  // namespace duoblas
