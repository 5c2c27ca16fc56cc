#include "cli/kernel_verdict_lines.hpp"

#include <ctime>

namespace duoblas::cli {
namespace {

struct Counts {
  std::int64_t verified = 0, quarantined = 0;
  std::uint64_t checked = 0;
};

Counts count(const std::vector<VariantVerdict>& verdicts, std::int64_t now) {
  Counts counts;
  for (const VariantVerdict& verdict : verdicts) {
    counts.verified += is_verified(verdict, now) ? 1 : 0;
    counts.quarantined += is_quarantined(verdict, now) ? 1 : 0;
    counts.checked += verdict.checked;
  }
  return counts;
}

std::string date(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  char text[16] = "";
  if (::gmtime_r(&time, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// Whether there are failures that still count.
bool is_suspected(const VariantVerdict& verdict, std::int64_t now) {
  return verdict.failures > 0 && now - verdict.failed_at < verdict_seconds;
}

const char* state_of(const VariantVerdict& verdict, std::int64_t now) {
  if (is_quarantined(verdict, now)) return "not used";
  return is_verified(verdict, now) ? "tried again and right" : "to be tried again";
}

}  // namespace

std::vector<std::string> verdict_lines(const std::vector<VariantVerdict>& verdicts,
                                       std::int64_t now) {
  if (verdicts.empty()) return {"kernels: none was tried yet"};
  const Counts counts = count(verdicts, now);
  std::vector<std::string> lines = {"kernels: " + std::to_string(counts.verified) +
                                    " tried and right, " + std::to_string(counts.quarantined) +
                                    " in quarantine; " + std::to_string(counts.checked) +
                                    " results for programs checked and right"};
  for (const VariantVerdict& verdict : verdicts)
    if (is_suspected(verdict, now))
      lines.push_back(std::string(state_of(verdict, now)) + ": " + verdict.kernel + ", wrong " +
                      std::to_string(verdict.failures) +
                      (verdict.failures == 1 ? " time" : " times") + " until " +
                      date(verdict.failed_at) + ": " + verdict.failure);
  return lines;
}

nlohmann::json verdicts_json(const std::vector<VariantVerdict>& verdicts, std::int64_t now) {
  nlohmann::json list = nlohmann::json::array();
  for (const VariantVerdict& verdict : verdicts)
    list.push_back({{"kernel", verdict.kernel},
                    {"verified", is_verified(verdict, now)},
                    {"quarantined", is_quarantined(verdict, now)},
                    {"verified_at", verdict.verified_at},
                    {"failed_at", verdict.failed_at},
                    {"failures", verdict.failures},
                    {"failure", verdict.failure},
                    {"checked", verdict.checked}});
  return list;
}

}  // namespace duoblas::cli
