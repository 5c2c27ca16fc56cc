#include "cli/bandwidth_text.hpp"

#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

std::string rate_text(double bytes_per_second) {
  return bytes_per_second > 0 ? fixed(bytes_per_second * 1e-9, 1) + " GB/s"
                              : std::string("- (not measured)");
}

}  // namespace

std::vector<std::string> bandwidth_lines(const MemoryRates& rates, bool with_device) {
  std::vector<std::string> lines;
  if (with_device) {
    std::string device = "device: its own memory " + rate_text(rates.gpu) + ", the host's memory " +
                         rate_text(rates.gpu_host);
    if (rates.gpu_host > 0) device += rates.in_place ? ", in place" : ", copied to it first";
    if (rates.launch_seconds > 0)
      device += "; a launch takes " + fixed(rates.launch_seconds * 1e6, 0) + " us";
    lines.push_back(device);
  }
  std::string cpu = "CPU: " + rate_text(rates.cpu_all);
  if (rates.cpu != rates.cpu_all) cpu += ", the CPU side's cores " + rate_text(rates.cpu);
  lines.push_back(cpu);
  if (rates.both() > 0)
    lines.push_back("both at once, of the host's memory: " + rate_text(rates.both()) + " (device " +
                    rate_text(rates.gpu_beside) + ", CPU " + rate_text(rates.cpu_beside) + ")");
  return lines;
}

}  // namespace duoblas::cli
