#include "cli/tuned_rates.hpp"

#include <cmath>

#include "cli/text_table.hpp"
#include "tuner/tune.hpp"

namespace duoblas::cli {
namespace {

std::string bandwidth_text(double bytes_per_second) {
  return bytes_per_second > 0 ? fixed(bytes_per_second * 1e-9, 1) + " GB/s"
                              : std::string("- (not measured)");
}

}  // namespace

double gflops(const TunedPoint& point, double seconds) {
  const double operations = 2.0 * static_cast<double>(point.m) * static_cast<double>(point.n) *
                            static_cast<double>(point.k) * (is_complex(point.precision) ? 4 : 1);
  return seconds > 0 ? operations / seconds * 1e-9 : 0;
}

std::string tuning_case_of(const TunedPoint& point) {
  return tuning_case_text(point.precision, point.op_a, point.op_b, {point.m, point.n, point.k});
}

std::string product_name(Precision precision) {
  return std::string(1, letter(precision)) + "gemm";
}

std::string share_text(const Share& share) {
  return std::to_string(share.gpu_parts) + "/" + std::to_string(share.parts);
}

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return values.empty() ? 0 : std::exp(logarithms / static_cast<double>(values.size()));
}

std::string rate_text(double gflops) {
  if (!(gflops > 0)) return "-";
  return fixed(gflops, gflops < 10 ? 2 : gflops < 1000 ? 1 : 0);
}

std::vector<std::string> bandwidth_lines(const MemoryRates& rates, bool with_device) {
  std::vector<std::string> lines;
  if (with_device) {
    std::string device = "device: its own memory " + bandwidth_text(rates.gpu) +
                         ", the host's memory " + bandwidth_text(rates.gpu_host);
    if (rates.gpu_host > 0) device += rates.in_place ? ", in place" : ", copied to it first";
    if (rates.launch_seconds > 0)
      device += "; a launch takes " + fixed(rates.launch_seconds * 1e6, 0) + " us";
    lines.push_back(device);
  }
  std::string cpu = "CPU: " + bandwidth_text(rates.cpu_all);
  if (rates.cpu != rates.cpu_all) cpu += ", the CPU side's cores " + bandwidth_text(rates.cpu);
  lines.push_back(cpu);
  if (rates.both() > 0)
    lines.push_back("both at once, of the host's memory: " + bandwidth_text(rates.both()) +
                    " (device " + bandwidth_text(rates.gpu_beside) + ", CPU " +
                    bandwidth_text(rates.cpu_beside) + ")");
  return lines;
}

}  // namespace duoblas::cli
