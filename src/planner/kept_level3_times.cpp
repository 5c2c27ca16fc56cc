// Converts what Level3Selector knows to bytes, for later processes of the same build on the same
// machine.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "planner/kept_records.hpp"
#include "planner/level3_selector.hpp"

namespace duoblas {
namespace {

constexpr std::uint32_t kind_of_records = 0x6c766c33;  // no other learner's bytes
// Increase it when the bytes change.
constexpr std::uint32_t format = 3;

}  // namespace

/// The stored bytes of one kind.
struct Level3Selector::Record {
  std::int32_t routine = 0, precision = 0, side = 0, op = 0, log_flops = 0;
  std::int32_t seen[variant_count] = {};
  double last[variant_count][3] = {};
  double unseen_seconds[variant_count] = {};

  bool is_sound() const {
    constexpr std::size_t sides = 2, ops = 3;
    if (!is_below(routine, routine_count) || !is_below(precision, precision_count) ||
        !is_below(side, sides) || !is_below(op, ops) || !is_log_flops(log_flops))
      return false;
    for (std::size_t variant = 0; variant < variant_count; ++variant)
      if (!is_below(seen[variant], 4) || !are_times(last[variant], seen[variant]) ||
          !is_sum_of_seconds(unseen_seconds[variant]))
        return false;
    return true;
  }
};

std::vector<unsigned char> Level3Selector::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Record> records;
  for (const auto& [kind, variants] : kinds_) {
    const auto& [routine, precision, side, op, log_flops, calls] = kind;
    if (calls != CallsAre::usual || variants[0].seen + variants[1].seen + variants[2].seen == 0)
      continue;
    Record record;
    record.routine = static_cast<std::int32_t>(routine);
    record.precision = static_cast<std::int32_t>(precision_index(precision));
    record.side = static_cast<std::int32_t>(side);
    record.op = static_cast<std::int32_t>(op);
    record.log_flops = log_flops;
    for (std::size_t variant = 0; variant < variants.size(); ++variant) {
      record.seen[variant] = std::min<std::int32_t>(variants[variant].seen, 3);
      std::ranges::copy(variants[variant].last, record.last[variant]);
      record.unseen_seconds[variant] = variants[variant].unseen.all();
    }
    if (record.is_sound()) records.push_back(record);
  }
  return bytes_of(kind_of_records, format, records);
}

bool Level3Selector::restore(const std::vector<unsigned char>& kept) {
  const auto records = records_of<Record>(kind_of_records, format, kept);
  if (!records) return false;
  std::map<Kind, std::array<Variant, variant_count>> kinds;
  for (const Record& record : *records) {
    std::array<Variant, variant_count>& variants = kinds[{
        static_cast<Routine>(record.routine),
        all_precisions[static_cast<std::size_t>(record.precision)], static_cast<Side>(record.side),
        static_cast<Op>(record.op), record.log_flops, CallsAre::usual}];
    for (std::size_t variant = 0; variant < variants.size(); ++variant) {
      variants[variant].seen = record.seen[variant];
      variants[variant].is_recalled = record.seen[variant] > 0;
      std::ranges::copy(record.last[variant], variants[variant].last.begin());
      if (record.seen[variant] > 0)
        variants[variant].recalled.per_flop = variants[variant].per_flop();
      variants[variant].unseen.before = record.unseen_seconds[variant];
    }
  }
  const std::lock_guard guard(mutex_);
  kinds_ = std::move(kinds);
  return true;
}

}  // namespace duoblas
