#include "gpu/kernels/kernel_verdicts.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "kernel_space/classic_text.hpp"
#include "opencl/cache_file.hpp"

namespace duoblas {
namespace {

constexpr int failures_of_proof = 2;
// A damaged file may have any number, and one more must not overflow.
constexpr int most_failures = 1'000'000;

// A clock that is or was wrong must not make a verdict last for ever.
bool counts(std::int64_t then, std::int64_t now) {
  constexpr std::int64_t day = 24 * 3600;
  return then > 0 && then <= now + day && now - then < verdict_seconds;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

template <typename Field>
void read(const std::string& text, Field& to) {
  if constexpr (std::is_arithmetic_v<Field>)
    std::from_chars(text.data(), text.data() + text.size(), to);
  else
    to = text;
}

}  // namespace

bool is_quarantined(const VariantVerdict& verdict, std::int64_t now) {
  return verdict.failures >= failures_of_proof && counts(verdict.failed_at, now);
}

bool is_verified(const VariantVerdict& verdict, std::int64_t now) {
  return !is_quarantined(verdict, now) && counts(verdict.verified_at, now) &&
         verdict.failed_at <= verdict.verified_at;
}

void add_failure(VariantVerdict& verdict, const std::string& failure, std::int64_t now) {
  if (!counts(verdict.failed_at, now)) verdict.failures = 0;
  if (!counts(verdict.verified_at, now)) verdict.verified_at = 0;
  verdict.failures = std::min(verdict.failures, most_failures) + 1;
  verdict.failed_at = std::max(now, verdict.verified_at + 1);
  verdict.failure = failure;
}

void add_success(VariantVerdict& verdict, std::int64_t now) {
  if (!counts(verdict.failed_at, now)) verdict.failed_at = verdict.failures = 0;
  verdict.verified_at = std::max(now, verdict.failed_at);
}

std::string to_text(const VariantVerdict& verdict) {
  ClassicText text;
  text << "device " << one_line(verdict.device) << "\ndriver " << one_line(verdict.driver)
       << "\nkernel " << one_line(verdict.kernel) << "\nverified_at " << verdict.verified_at
       << "\nfailed_at " << verdict.failed_at << "\nfailures " << verdict.failures << "\nchecked "
       << verdict.checked << "\nfailure " << one_line(verdict.failure) << '\n';
  return text.str();
}

std::optional<VariantVerdict> verdict_from(const std::string& text) {
  VariantVerdict verdict;
  std::istringstream lines(text);
  int known = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) return {};
    const std::string value = line.substr(space + 1);
    const auto is = [&](std::string_view name, auto& field) {
      if (line.compare(0, space, name) != 0) return false;
      read(value, field);
      return true;
    };
    // Others are of a later version.
    known += is("device", verdict.device) || is("driver", verdict.driver) ||
             is("kernel", verdict.kernel) || is("failure", verdict.failure) ||
             is("verified_at", verdict.verified_at) || is("failed_at", verdict.failed_at) ||
             is("failures", verdict.failures) || is("checked", verdict.checked);
  }
  constexpr int fields = 8;
  if (known != fields) return {};
  return verdict;
}

std::optional<VariantVerdict> VerdictFolder::load(const std::string& key) const {
  if (path_.empty()) return {};
  std::string problem;
  const cl::CacheDirectory folder(path_, problem);
  if (!folder.usable()) return {};
  const auto content = folder.load(key);
  return verdict_from(std::string(content.begin(), content.end()));
}

std::string VerdictFolder::store(const std::string& key, const VariantVerdict& verdict) const {
  if (path_.empty()) return {};
  std::string problem;
  const cl::CacheDirectory folder(path_, problem);
  if (!folder.usable()) return problem;
  const std::string text = to_text(verdict);
  return folder.store(key, std::vector<unsigned char>(text.begin(), text.end()));
}

std::vector<VariantVerdict> VerdictFolder::all() const {
  std::vector<VariantVerdict> verdicts;
  if (path_.empty()) return verdicts;
  std::string problem;
  const cl::CacheDirectory folder(path_, problem);
  if (!folder.usable()) return verdicts;
  for (const auto& content : folder.load_all())
    if (auto verdict = verdict_from(std::string(content.begin(), content.end())))
      verdicts.push_back(std::move(*verdict));
  return verdicts;
}

std::string verdict_folder(const std::string& cache_dir) {
  return cache_dir.empty() ? std::string() : cache_dir + "/verdicts";
}

}  // namespace duoblas
