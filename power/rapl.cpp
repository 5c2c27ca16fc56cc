// RAPL, the counters of energy in processors of Intel and AMD: by perf events, and by powercap.

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/perf_counter.hpp"
#include "power/sources.hpp"

namespace duoblas::power {
namespace {

struct RaplDomain {
  Domain domain;
  const char* event;  ///< of the perf unit
  const char* zone;   ///< of powercap: how its name begins
};
constexpr std::array rapl_domains = {
    RaplDomain{Domain::package, "energy-pkg", "package"},
    RaplDomain{Domain::cpu, "energy-cores", "core"},
    RaplDomain{Domain::gpu, "energy-gpu", "uncore"},  // of client chips: the integrated GPU
    RaplDomain{Domain::dram, "energy-ram", "dram"},
    RaplDomain{Domain::system, "energy-psys", "psys"}};

const std::string unit = "bus/event_source/devices/power";
const std::string zones_folder = "class/powercap";
constexpr const char* perf = "perf energy events";
constexpr const char* powercap = "powercap RAPL";
// Intel's manual: RAPL counters are updated about every millisecond.
constexpr double update_seconds = 1e-3;
// A processor that reads its counters is awake, so they move at once.
constexpr double moves_within_seconds = 50e-3;
// The hardware's register has 32 bits. Powercap tells its range in uJ.
constexpr double register_steps = 4294967296.0;
constexpr double microjoule = 1e-6;
// Since CVE-2020-8694 only root may read the counters.
constexpr const char* udev_rule =
    "; a udev rule opens them to the group \"power\": SUBSYSTEM==\"powercap\", ACTION==\"add\", "
    "RUN+=\"/bin/chgrp -R power /sys%p\", RUN+=\"/bin/chmod -R g=rX /sys%p\"";

// The integrated GPU may sleep, so its counter may stand still.
bool may_rest(Domain domain) {
  return domain == Domain::gpu;
}

void add(Domain domain, std::string source, double step_joules, std::vector<Gauge> sockets,
         const PowerPlaces& places, PowerSources& found) {
  SensorInfo info;
  info.domain = domain;
  info.source = std::move(source);
  if (sockets.size() > 1) info.source += " of " + std::to_string(sockets.size()) + " sockets";
  info.update_seconds = update_seconds;
  info.step_joules = step_joules;
  info.in_package = domain == Domain::cpu || domain == Domain::gpu;
  info.may_rest = may_rest(domain);
  found.sensors.emplace_back(info, places.clock, std::move(sockets));
}

// "event=0x02"
std::uint64_t config_of(const std::string& text) {
  constexpr std::string_view prefix = "event=0x";
  std::uint64_t config = 0;
  if (text.starts_with(prefix)) {
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data() + prefix.size(), end, config, 16).ptr == end) return config;
  }
  throw SensorError("an event is written as \"" + text + "\", which is not understood");
}

// "0,28", or "0-1": one processor per socket.
std::vector<int> sockets_of(const std::string& mask) {
  std::vector<int> cpus;
  std::istringstream list(mask);
  for (std::string part; std::getline(list, part, ',');) {
    int first = 0;
    int last = 0;
    char dash = 0;
    std::istringstream range(part);
    if (!(range >> first) || first < 0) throw SensorError("cpumask \"" + mask + "\"");
    if (!(range >> dash >> last)) last = first;
    constexpr int most_sockets = 64;
    for (int cpu = first; cpu <= last && cpus.size() < most_sockets; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

// A counter that may stand still is used only if the package's was seen to move.
void require_package(const PowerSources& found) {
  for (const EnergySensor& sensor : found.sensors)
    if (sensor.info().domain == Domain::package && sensor.info().counts) return;
  throw SensorError("the package's counter cannot be used either");
}

void find_event(const PowerPlaces& places, const RaplDomain& row, PowerSources& found) {
  const std::string file = unit + "/events/" + row.event;
  if (!places.sysfs.has(file)) return;
  const std::string joules = places.sysfs.text(file + ".unit");
  if (joules != "Joules") throw SensorError(file + " is in " + joules);
  const double scale = places.sysfs.number(file + ".scale");
  PerfEvent event{static_cast<unsigned>(places.sysfs.number(unit + "/type")),
                  config_of(places.sysfs.text(file)), 0};
  std::vector<Gauge> sockets;
  for (const int cpu : sockets_of(places.sysfs.text(unit + "/cpumask"))) {
    event.cpu = cpu;
    sockets.push_back({[count = places.open_perf(event), scale] { return count() * scale; }});
  }
  if (sockets.empty()) throw SensorError("no processor has it");
  if (may_rest(row.domain))
    require_package(found);
  else
    seen_update_seconds(sockets.front().value, moves_within_seconds);
  add(row.domain, std::string(perf) + ", " + row.event, 0, std::move(sockets), places, found);
}

// Domains that fail for the same reason share one line.
void miss(const std::string& reason, Domain domain, PowerSources& found) {
  for (MissingSource& missing : found.missing)
    if (missing.source == perf && missing.reason == reason)
      return missing.domains.push_back(domain);
  found.missing.push_back({perf, reason, {domain}});
}

[[noreturn]] void refuse(int error) {
  std::string text = std::string("perf_event_open: ") + std::strerror(error);
  if (error == EACCES || error == EPERM)
    text +=
        "; events of the whole machine need \"sysctl kernel.perf_event_paranoid=0\", or the "
        "capability CAP_PERFMON";
  throw SensorError(text);
}

}  // namespace

PerfReader open_perf_event(const PerfEvent& event) {
  const int opened = open_perf_counter(event.type, event.config, event.cpu);
  if (opened < 0) refuse(errno);
  const std::shared_ptr<const int> descriptor(new int(opened), [](const int* it) {
    close_perf_counter(*it);
    delete it;
  });
  return [descriptor] {
    std::uint64_t count = 0;
    if (!read_perf_counter(*descriptor, count))
      throw SensorError(std::string("reading a perf event: ") + std::strerror(errno));
    return static_cast<double>(count);
  };
}

void find_perf_energy(const PowerPlaces& places, PowerSources& found) {
  if (!places.sysfs.has(unit)) {
    found.missing.push_back(
        {perf, "the kernel has no perf unit \"power\"", {all_domains.begin(), all_domains.end()}});
    return;
  }
  for (const RaplDomain& row : rapl_domains) {
    try {
      find_event(places, row, found);
    } catch (const SensorError& e) {
      miss(e.what(), row.domain, found);
    }
  }
}

void find_powercap_rapl(const PowerPlaces& places, PowerSources& found) {
  const SysfsTree& sysfs = places.sysfs;
  const std::vector<Domain> all(all_domains.begin(), all_domains.end());
  std::map<Domain, std::vector<Gauge>> zones;
  for (const std::string& name : sysfs.names(zones_folder)) {
    // intel-rapl-mmio has the same counters once more.
    if (!name.starts_with("intel-rapl:")) continue;
    const std::string path = zones_folder + "/" + name;
    const auto counted = [sysfs, path] { return sysfs.number(path + "/energy_uj") * microjoule; };
    try {
      const std::string title = sysfs.text(path + "/name");
      const auto row = std::ranges::find_if(
          rapl_domains, [&](const RaplDomain& domain) { return title.starts_with(domain.zone); });
      if (row == rapl_domains.end()) continue;
      // Zones that the hardware does not have, or a virtual machine does not pass on.
      if (!(counted() > 0) && !may_rest(row->domain)) continue;
      zones[row->domain].push_back(
          {counted, sysfs.number(path + "/max_energy_range_uj") * microjoule});
    } catch (const SensorError& e) {
      found.missing.push_back({powercap, std::string(e.what()) + udev_rule, all});
      return;
    }
  }
  if (zones.empty())
    found.missing.push_back({powercap,
                             sysfs.real_path(zones_folder) +
                                 " has no intel-rapl zone (a virtual machine, or the module "
                                 "intel_rapl_msr is not loaded)",
                             all});
  for (auto& [domain, sockets] : zones) {
    const double step_joules = sockets.front().range_joules / register_steps;
    add(domain, powercap, step_joules, std::move(sockets), places, found);
  }
}

}  // namespace duoblas::power
