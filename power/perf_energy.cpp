#include "power/perf_energy.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "power/counter_update.hpp"
#include "power/rising_counter.hpp"

namespace duoblas::power {
namespace {

const std::string unit = "bus/event_source/devices/power";
constexpr const char* source = "perf energy events";
constexpr double update_seconds = 1e-3;  // RAPL's
// A processor that reads its counters is awake, so they move at once.
constexpr double longest_look = 50e-3;

struct Event {
  const char* name;
  Domain domain;
  bool in_package;
  bool may_rest;
};
constexpr Event events[] = {{"energy-pkg", Domain::package, false, false},
                            {"energy-cores", Domain::cpu, true, false},
                            {"energy-gpu", Domain::gpu, true, true},
                            {"energy-ram", Domain::dram, false, false},
                            {"energy-psys", Domain::system, false, false}};

class PerfSensor : public PowerSensor {
 public:
  PerfSensor(SensorInfo info, double scale, std::vector<PerfReader> sockets, PowerClock clock)
      : PowerSensor(std::move(info)),
        scale_(scale),
        sockets_(std::move(sockets)),
        clock_(std::move(clock)) {
    PerfSensor::restart();
  }

  EnergyReading read() override {
    EnergyReading reading{clock_(), 0};
    for (std::size_t i = 0; i < sockets_.size(); ++i)
      reading.joules += counters_[i].joules(reading.seconds, sockets_[i]() * scale_);
    return reading;
  }

  void restart() override {
    counters_.assign(sockets_.size(), RisingCounter(std::numeric_limits<double>::infinity()));
  }

 private:
  double scale_;
  std::vector<PerfReader> sockets_;
  PowerClock clock_;
  std::vector<RisingCounter> counters_;
};

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
  for (const auto& sensor : found.sensors)
    if (sensor->info().domain == Domain::package && sensor->info().counts) return;
  throw SensorError("the package's counter cannot be used either");
}

void find_event(const PowerPlaces& places, const Event& event, PowerSources& found) {
  const std::string file = unit + "/events/" + event.name;
  if (!places.sysfs->has(file)) return;
  const std::string joules = places.sysfs->text(file + ".unit");
  if (joules != "Joules") throw SensorError(file + " is in " + joules);
  PerfEvent opened{static_cast<unsigned>(places.sysfs->number(unit + "/type")),
                   config_of(places.sysfs->text(file)), 0};
  std::vector<PerfReader> sockets;
  for (const int cpu : sockets_of(places.sysfs->text(unit + "/cpumask"))) {
    opened.cpu = cpu;
    sockets.push_back(places.open_perf(opened));
  }
  if (sockets.empty()) throw SensorError("no processor has it");
  SensorInfo info;
  info.domain = event.domain;
  info.source = std::string(source) + ", " + event.name;
  if (sockets.size() > 1) info.source += " of " + std::to_string(sockets.size()) + " sockets";
  info.update_seconds = update_seconds;
  info.in_package = event.in_package;
  info.may_rest = event.may_rest;
  const double scale = places.sysfs->number(file + ".scale");
  if (event.may_rest)
    require_package(found);
  else
    seen_update_seconds([&] { return sockets.front()() * scale; }, longest_look);
  found.sensors.push_back(
      std::make_unique<PerfSensor>(info, scale, std::move(sockets), places.clock));
}

// Domains that fail for the same reason share one line.
void miss(const std::string& reason, Domain domain, PowerSources& found) {
  for (MissingSource& missing : found.missing)
    if (missing.source == source && missing.reason == reason)
      return missing.domains.push_back(domain);
  found.missing.push_back({source, reason, {domain}});
}

}  // namespace

void find_perf_energy(const PowerPlaces& places, PowerSources& found) {
  if (!places.sysfs->has(unit)) {
    found.missing.push_back({source,
                             "the kernel has no perf unit \"power\"",
                             {all_domains.begin(), all_domains.end()}});
    return;
  }
  for (const Event& event : events) {
    try {
      find_event(places, event, found);
    } catch (const SensorError& e) {
      miss(e.what(), event.domain, found);
    }
  }
}

}  // namespace duoblas::power
