// Converts a learner's knowledge to bytes, for later processes of the same build on the same
// machine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "planner/learner.hpp"

namespace duoblas {
namespace {

// Increase it when the bytes, or the predictions that they are about, change.
constexpr std::uint32_t format = 10;

constexpr CallKind::Group usual_groups[] = {CallKind::products, CallKind::batches,
                                            CallKind::streams};

// They are stored as they are in memory, so they must have no padding.
static_assert(sizeof(SharedFactor) == 2 * sizeof(double) + sizeof(std::uint64_t));
static_assert(sizeof(ClassFactor) ==
              6 * sizeof(double) + 7 * sizeof(float) + 2 * sizeof(unsigned) + 2 + 2 * sizeof(bool));

struct Header {
  std::uint32_t format = 0, time_models = 0, class_bytes = 0;
  std::uint32_t families = 0, classes = 0;
};

/// Since then the machine may have changed by 3 %; a time that was known to within 10 % stays
/// known.
constexpr double variance_of_a_pause = 1e-3, most_if_known = 9e-3;

class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* const first = reinterpret_cast<const unsigned char*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof value);
  }
  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  std::vector<unsigned char> bytes_;
};

class Reader {
 public:
  explicit Reader(const std::vector<unsigned char>& bytes) : bytes_(bytes) {}

  template <typename T>
  T get() {
    T value{};
    if (bytes_.size() - at_ < sizeof value) {
      is_short_ = true;
    } else {
      std::memcpy(&value, bytes_.data() + at_, sizeof value);
      at_ += sizeof value;
    }
    return value;
  }
  bool ended_well() const { return !is_short_ && at_ == bytes_.size(); }

 private:
  const std::vector<unsigned char>& bytes_;
  std::size_t at_ = 0;
  bool is_short_ = false;
};

bool is_sound(const SharedFactor& factor) {
  return std::isfinite(factor.mean) && factor.variance >= 0 && std::isfinite(factor.variance);
}

// Damaged bytes may hold another value, which must not be read as a bool.
bool is_bool(const bool& stored) {
  static_assert(sizeof stored == 1);
  unsigned char byte;
  std::memcpy(&byte, &stored, 1);
  return byte <= 1;
}

bool is_sound(const ClassFactor& factor) {
  return std::isfinite(factor.mean) && std::isfinite(factor.published) && factor.variance >= 0 &&
         std::isfinite(factor.variance) && factor.noise >= 0 && std::isfinite(factor.noise) &&
         factor.slope_variance >= 0 && std::isfinite(factor.slope_variance) &&
         std::isfinite(factor.slope) && std::isfinite(factor.published_slope) &&
         std::isfinite(factor.log_part) && std::isfinite(factor.before_change) &&
         std::isfinite(factor.covariance) &&
         std::isfinite(factor.unseen.all() + factor.unseen.waited) && is_bool(factor.warmed) &&
         is_bool(factor.may_be_cold);
}

void age(SharedFactor& factor) {
  if (factor.classes > 0) factor.variance += variance_of_a_pause;
}

void age(ClassFactor& factor) {
  factor.warmed = factor.warmed && factor.seen > 0;  // another process has threads of its own
  factor.unseen.before += std::exchange(factor.unseen.here, 0);
  if (factor.seen == 0) return;
  const double most = std::max(factor.variance, most_if_known);
  factor.variance = std::min(factor.variance + variance_of_a_pause, most);
  factor.run = factor.bounds = 0;
  factor.changed_at = 0;
}

bool is_worth_keeping(CallKind::Group group) {
  return CallKind{0, 0, group, false}.is_usual();
}

template <typename Table>
std::uint32_t put_places(Writer& writer, const Table& table) {
  std::uint32_t count = 0;
  table.for_each([&](const auto& place) {
    if (!is_worth_keeping(place.group)) return;
    writer.put(place.key);
    writer.put(place.group);
    writer.put(place.factors);
    ++count;
  });
  return count;
}

template <typename Table>
bool get_places(Reader& reader, Table& table, std::uint32_t count) {
  using Factors = decltype(Table::Place::factors);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto key = reader.template get<std::uint64_t>();
    const auto group = reader.template get<CallKind::Group>();
    auto factors = reader.template get<Factors>();
    const bool all_sound =
        std::ranges::all_of(factors, [](const auto& factor) { return is_sound(factor); });
    if (key == 0 || !is_worth_keeping(group) || !all_sound) return false;
    for (auto& factor : factors) age(factor);
    table.find_or_take(key, group, 0).factors = factors;
  }
  return true;
}

}  // namespace

std::vector<unsigned char> Learner::kept() const {
  Writer families, classes, all;
  Header header{format, timed_models, sizeof(ClassFactor), 0, 0};
  header.families = put_places(families, families_);
  header.classes = put_places(classes, classes_);
  all.put(header);
  for (const CallKind::Group group : usual_groups) all.put(all_[group]);
  auto bytes = all.take();
  for (const auto& part : {families.take(), classes.take()})
    bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

bool Learner::restore(const std::vector<unsigned char>& kept) {
  Reader reader(kept);
  const auto header = reader.get<Header>();
  const Header wanted{format, timed_models, sizeof(ClassFactor), header.families, header.classes};
  bool good = std::memcmp(&header, &wanted, sizeof header) == 0;
  for (const CallKind::Group group : usual_groups) {
    using Factors = std::array<SharedFactor, timed_models>;
    all_[group] = reader.get<Factors>();
    for (SharedFactor& factor : all_[group]) {
      good = good && is_sound(factor);
      age(factor);
    }
  }
  good = good && get_places(reader, families_, header.families) &&
         get_places(reader, classes_, header.classes) && reader.ended_well();
  if (!good) start_again(prior_);
  return good;
}

}  // namespace duoblas
