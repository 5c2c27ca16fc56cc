#include "soak/soak_totals.hpp"

#include <algorithm>
#include <cstdio>

namespace duoblas::soak {
namespace {

double percent(double part, double whole) {
  return whole == 0 ? 0 : 100 * part / whole;
}

}  // namespace

void SoakTotals::add(const SoakCall& call, const DevicePart& part, const Verdict& verdict) {
  TypeTotals& type = types[precision_index(call.precision)];
  ++type.calls;
  if (!verdict.wrong.empty()) ++type.wrong;
  if (part.on_device > 0) ++type.with_device;
  if (part.recovered) ++type.recovered;
  type.flops += part.flops;
  type.on_device += part.on_device;
  type.worst_error = std::max(type.worst_error, verdict.error);
  if (call.lapack) ++of_lapack;
  if (part.is_in_lapack) ++of_lapack_with_device;
}

std::uint64_t SoakTotals::calls() const {
  std::uint64_t sum = 0;
  for (const TypeTotals& type : types) sum += type.calls;
  return sum;
}

std::uint64_t SoakTotals::wrong() const {
  std::uint64_t sum = 0;
  for (const TypeTotals& type : types) sum += type.wrong;
  return sum;
}

std::string SoakTotals::text(double seconds) const {
  std::string all;
  char line[240];
  for (const Precision p : all_precisions) {
    const TypeTotals& t = types[precision_index(p)];
    if (t.calls == 0) continue;
    std::snprintf(
        line, sizeof line,
        "%c: %llu calls, %llu wrong; device in %.0f %% of calls, %.0f %% of flops; failed "
        "in %llu; worst error %.3f of its bound\n",
        letter(p), static_cast<unsigned long long>(t.calls),
        static_cast<unsigned long long>(t.wrong),
        percent(static_cast<double>(t.with_device), static_cast<double>(t.calls)),
        percent(t.on_device, t.flops), static_cast<unsigned long long>(t.recovered), t.worst_error);
    all += line;
  }
  std::snprintf(
      line, sizeof line, "%llu of LAPACK, device in %.0f %% of them\n",
      static_cast<unsigned long long>(of_lapack),
      percent(static_cast<double>(of_lapack_with_device), static_cast<double>(of_lapack)));
  all += line;
  std::snprintf(
      line, sizeof line, "%llu calls (%llu in forked children) in %.0f s, %.0f a second\n",
      static_cast<unsigned long long>(calls()), static_cast<unsigned long long>(in_children),
      seconds, static_cast<double>(calls()) / std::max(seconds, 1e-9));
  return all + line;
}

}  // namespace duoblas::soak
