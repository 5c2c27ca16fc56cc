// Converts what checks found right to bytes, for later processes.
#include <charconv>
#include <cstddef>

#include "engine/result_checks.hpp"
#include "kernel_space/kernel_description.hpp"
#include "opencl/cache_file.hpp"
#include "planner/stored_records.hpp"

namespace duoblas {
namespace {

constexpr std::uint32_t kind_of_records = 0x65766964;  // no other part's bytes
// Increase it when the bytes change, or what a check shows.
constexpr std::uint32_t format = 1;
constexpr std::size_t most_records = 4096;

std::uint64_t hash_of(const std::string& text) {
  const std::string digits = cl::cache_file_name(text).substr(0, 16);
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

}  // namespace

struct ResultChecks::Stored {
  std::uint64_t sources = 0, kernel = 0, kind = 0;
  Evidence shown;

  bool is_sound() const {
    return is_sum_of_seconds(shown.call_seconds) && is_sum_of_seconds(shown.check_seconds) &&
           is_sum_of_seconds(shown.last_check);
  }
};

ResultChecks::Names ResultChecks::names_of(const KernelParams& kernel, const Kind& kind) {
  std::string text;
  for (const int field :
       {static_cast<int>(kind.precision), static_cast<int>(kind.op_a), static_cast<int>(kind.op_b),
        kind.size, kind.routine ? static_cast<int>(*kind.routine) : -1, static_cast<int>(kind.side),
        static_cast<int>(kind.uplo),
        kind.factorisation ? static_cast<int>(*kind.factorisation) : -1})
    text += std::to_string(field) + ' ';
  return {hash_of(describe(kernel)), hash_of(text)};
}

std::vector<unsigned char> ResultChecks::kept(const std::string& sources) const {
  const std::uint64_t of_sources = hash_of(sources);
  std::vector<Stored> records;
  const std::lock_guard lock(mutex_);
  const auto add = [&](const Names& names, const Evidence& shown) {
    if (shown.right > 0 && records.size() < most_records)
      records.push_back({of_sources, names.first, names.second, shown});
  };
  for (const Class& known : classes_) add(names_of(known.kernel, known.kind), known);
  for (const auto& [names, shown] : earlier_) add(names, shown);
  return bytes_of(kind_of_records, format, records);
}

bool ResultChecks::restore(const std::vector<unsigned char>& kept, const std::string& sources) {
  const auto records = records_of<Stored>(kind_of_records, format, kept);
  if (!records) return false;
  const std::uint64_t of_sources = hash_of(sources);
  const std::lock_guard lock(mutex_);
  for (const Stored& record : *records)
    if (record.sources == of_sources) earlier_[{record.kernel, record.kind}] = record.shown;
  return true;
}

// One of its results was wrong: what was right before says nothing any more.
void ResultChecks::forget(const KernelParams& kernel) {
  for (Class& known : classes_)
    if (known.kernel == kernel) static_cast<Evidence&>(known) = {};
  const std::uint64_t name = names_of(kernel, {}).first;
  std::erase_if(earlier_, [&](const auto& entry) { return entry.first.first == name; });
}

}  // namespace duoblas
