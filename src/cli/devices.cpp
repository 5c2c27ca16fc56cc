// duoblas devices: what is there, what would be used, and why.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/bench/record.hpp"
#include "cli/core_list.hpp"
#include "cli/core_types.hpp"
#include "cli/json_file.hpp"
#include "cli/kernel_verdict_lines.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "cpu/topology.hpp"
#include "opencl/choose_device.hpp"
#include "planner/point_timings.hpp"
#include "profile/profile.hpp"
#include "tuner/machine_bandwidth.hpp"
#include "tuner/machine_peak.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kDevicesFooter =
    "Examples:\n"
    "  duoblas devices                      everything that was found\n"
    "  DUOBLAS_DEVICE=1 duoblas devices     would device 1 be used, and does it share memory?\n"
    "  DUOBLAS_STANDIN=1 duoblas devices    PoCL on half of the cores stands in for a GPU\n"
    "  duoblas devices --peak               what can each side multiply and add at most?\n"
    "  duoblas devices --bandwidth          what does memory give each side, and both?\n"
    "  duoblas devices --require-gpu        for scripts: exit code 1 where there is no GPU";

struct DevicesOptions {
  std::string json;
  bool quick = false;
  bool peak = false;
  bool bandwidth = false;
  bool require_gpu = false;
};

std::string kind(const cl::DeviceInfo& info) {
  return info.is_gpu ? "GPU" : info.is_cpu ? "CPU" : "other";
}

std::string sharing_text(const SharingFacts& facts) {
  switch (facts.granularity()) {
    case 0:
      return "matrices are copied to the device and back: its driver shares no memory of the heap";
    case 1:
      return "zero-copy: the driver shares memory of the heap wherever it lies; results in other "
             "memory are checked in each call";
    default:
      return "zero-copy for windows of whole " + std::to_string(facts.granularity()) +
             " bytes of the heap; results that end elsewhere" +
             (facts.coherent ? "" : ", or have gaps between their rows,") + " are copied";
  }
}

// The result of each alignment that was tried; empty if nothing is shared.
std::string alignments_text(const SharingFacts& facts) {
  std::string text;
  for (const SharedAlignment& alignment : facts.alignments) {
    if (facts.granularity() == 0) break;
    text += (text.empty() ? "heap memory by alignment: " : ", ") + std::to_string(alignment.bytes) +
            " B ";
    text += alignment.shared
                ? "shared (a map takes " + fixed(alignment.map_seconds * 1e6, 0) + " us)"
                : "copied";
  }
  return text;
}

// Why this device was chosen: by a setting, or because it is the first choice without one.
std::string why_chosen(const Settings& settings, const cl::DeviceInfo& info) {
  if (!settings.device.empty()) return "DUOBLAS_DEVICE=" + settings.device + " names it";
  if (settings.standin) return "DUOBLAS_STANDIN=1: it stands in for a GPU";
  return info.is_gpu ? "it is the first GPU" : "a strategy that needs a device was asked for";
}

// What products of doubles run at on the device that is used, as tuned; else when they are used.
std::string integers_text(const PlanMachine& machine) {
  double best = 0;
  if (const auto& profile = machine.by_integers.profile)
    for (const TunedPoint& point : profile->points)
      if (point.precision == Precision::d)
        best = std::max(best, flops(problem_of(point)) / point.gpu.seconds * 1e-9);
  if (best > 0) return "by integers, " + fixed(best, 1) + " GFLOPS as tuned";
  return "by integers once tuned, or where the GPU is asked for";
}

std::string doubles_text(const cl::DeviceInfo& info, Fp64Mode mode, const PlanMachine* used) {
  const std::string how = info.has_fp64 ? "yes" : "no";
  if (mode == Fp64Mode::native || (info.has_fp64 && mode != Fp64Mode::integers)) return how;
  return how + (info.has_fp64 ? ", unused (DUOBLAS_FP64)" : "") +
         (used != nullptr ? "; dgemm " + integers_text(*used) : "");
}

void print_devices(const std::vector<cl::Device>& devices, const std::string& none, Engine& engine,
                   std::ostream& out) {
  out << "OpenCL devices (DUOBLAS_DEVICE takes the number or part of the name):\n";
  if (devices.empty()) out << "  none: " << none << '\n';
  const GpuSide* gpu = engine.gpu();
  for (const cl::Device& device : devices) {
    const cl::DeviceInfo& info = device.info;
    const bool used = gpu != nullptr && gpu->info().index == info.index;
    out << (used ? "* " : "  ") << info.index << "  " << info.name << "  [" << kind(info) << "]\n"
        << "       " << info.platform << ", " << info.device_version << ", driver "
        << info.driver_version << '\n'
        << "       " << info.compute_units << " compute units, " << bytes(info.global_memory_bytes)
        << ", largest buffer " << bytes(info.max_allocation_bytes) << ", double precision "
        << doubles_text(info, engine.settings().fp64, used ? &engine.machine() : nullptr) << '\n';
    if (!used) continue;
    out << "       used: " << why_chosen(engine.settings(), info) << '\n'
        << "       " << sharing_text(gpu->sharing()) << '\n';
    if (const std::string text = alignments_text(gpu->sharing()); !text.empty())
      out << "       " << text << '\n';
    if (info.system_svm)
      out << "       says that it reads all of the host's memory (system SVM); not used\n";
    for (const std::string& line : verdict_lines(gpu->verdicts(), std::time(nullptr)))
      out << "       " << line << '\n';
    out << "       a product may use " << bytes(gpu->limits().memory_bytes)
        << " of it (DUOBLAS_DEVICE_MEMORY); larger ones are streamed\n";
  }
  if (const std::string story = engine.facts().passed_over(); !story.empty())
    out << "Passed over: " << story << '\n';
  if (gpu == nullptr) {
    out << "No device is used, the CPU does everything: " << engine.facts().gpu_problem() << '\n'
        << "(DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU on half of the cores.)\n";
  }
}

void print_cpu(Engine& engine, const std::vector<CoreTypeFinding>& findings, std::ostream& out) {
  const PlanMachine& machine = engine.machine();
  const CpuLimits& limits = engine.cpu().limits();
  out << "\nCPU: " << topology().cpu_model << '\n'
      << core_facts(topology()) << "  allowed: cores " << core_list(limits.cores) << ", at most "
      << limits.threads << " threads (affinity, cgroup, OMP_NUM_THREADS, DUOBLAS_CPU_CORES)\n";
  if (engine.settings().standin) {
    out << "  stand-in: the CPU side keeps cores " << core_list(machine.cpu_for(Precision::d).cores)
        << ", the rest is the stand-in GPU's\n";
  }
  out << "  BLAS: " << engine.cpu().description(machine.cpu_all_for(Precision::d)) << "\n        "
      << engine.cpu().library_path() << '\n';
  if (findings.empty()) return;
  out << "  core types, measured on one thread at n = 512:\n";
  TextTable table({{"type"},
                   {"kernels"},
                   {"sgemm GFLOPS", TextTable::Align::right},
                   {"dgemm GFLOPS", TextTable::Align::right}});
  for (const CoreTypeFinding& f : findings) {
    table.add({f.core_type.empty() ? "(its own choice)" : f.core_type, f.core_name,
               fixed(f.sgemm_gflops, 1), fixed(f.dgemm_gflops, 1)});
  }
  table.print(out, "    ");
  out << "  " << worth_text(findings) << '\n';
}

std::vector<MachinePeak> measured_peaks(Engine& engine) {
  return {measure_peak(engine, Precision::s), measure_peak(engine, Precision::d)};
}

std::string gflops_text(double gflops) {
  return gflops > 0 ? fixed(gflops, 1) + " GFLOPS" : std::string("- (not measured)");
}

void print_peaks(const std::vector<MachinePeak>& peaks, Engine& engine, std::ostream& out) {
  if (peaks.empty()) return;
  out << "\nPeak, measured: multiply-adds that depend on nothing and fetch nothing\n";
  for (const MachinePeak& peak : peaks) {
    out << "  " << (peak.precision == Precision::s ? "single" : "double") << " precision: ";
    if (engine.gpu() != nullptr) {
      const bool lacks = peak.precision == Precision::d && !engine.gpu()->info().has_fp64;
      const bool forgoes = engine.settings().fp64 == Fp64Mode::integers;
      out << "device "
          << (!lacks    ? gflops_text(peak.gpu)
              : forgoes ? "- (not used: DUOBLAS_FP64=integers)"
                        : "- (it has no double precision)")
          << (peak.gpu_how.empty() ? "" : " (" + peak.gpu_how + ")") << ", ";
      if (peak.gpu_bytes > 0)
        out << "by products of bytes, " << fixed(peak.gpu_bytes * 1e-3, 1) << " TOPS ("
            << peak.gpu_bytes_how << "), ";
    }
    out << "CPU " << gflops_text(peak.cpu_all);
    if (peak.cpu != peak.cpu_all) out << ", the CPU side's cores " << gflops_text(peak.cpu);
    out << '\n';
  }
}

void print_bandwidth(const std::optional<MemoryRates>& rates, Engine& engine, std::ostream& out) {
  if (!rates) return;
  out << "\nMemory, measured: arrays that no cache holds, read and added up\n";
  for (const std::string& line : bandwidth_lines(*rates, engine.gpu() != nullptr))
    out << "  " << line << '\n';
}

std::string tuned_or_not(Engine& engine, Arithmetic arithmetic) {
  std::string path = engine.settings().profile_dir + "/" +
                     profile_file_name(engine.facts().profile_key(arithmetic));
  if (!engine.facts().profile_problem().empty())
    return "not usable: " + engine.facts().profile_problem();
  if (engine.gpu() == nullptr) return "none needed: there is no device to tune";
  const ProfileInUse& tuned = engine.machine().tuned(arithmetic);
  if (tuned.is_tuned() && std::filesystem::exists(path)) return path;
  const std::string other =
      tuned.profile ? "; until then that of " + title(*tuned.profile) + " stands in" : "";
  return "none for this machine yet: run \"duoblas tune\" (it will be " + path + ")" + other;
}

nlohmann::json devices_json(const std::vector<cl::Device>& devices, Engine& engine,
                            const std::vector<CoreTypeFinding>& findings,
                            const std::vector<MachinePeak>& peaks,
                            const std::optional<MemoryRates>& memory) {
  nlohmann::json document = {{"context", context_json(engine)},
                             {"devices", nlohmann::json::array()},
                             {"core_types", nlohmann::json::array()},
                             {"passed_over", engine.facts().passed_over()},
                             {"profile", tuned_or_not(engine, Arithmetic::native)}};
  if (engine.machine().device.multiplies_by_integers(Precision::d))
    document["profile_of_integers"] = tuned_or_not(engine, Arithmetic::integers);
  if (!peaks.empty()) document["peaks"] = peaks_json(peaks);
  if (memory) document["bandwidth"] = bandwidth_json(*memory);
  const GpuSide* gpu = engine.gpu();
  if (gpu != nullptr) {
    document["sharing"] = nlohmann::json::array();
    for (const SharedAlignment& alignment : gpu->sharing().alignments)
      document["sharing"].push_back({{"alignment", alignment.bytes},
                                     {"shared", alignment.shared},
                                     {"map_seconds", alignment.map_seconds}});
    document["device_memory"] = gpu->limits().memory_bytes;
    document["kernels"] = verdicts_json(gpu->verdicts(), std::time(nullptr));
  }
  for (const cl::Device& device : devices) {
    const cl::DeviceInfo& info = device.info;
    document["devices"].push_back({{"index", info.index},
                                   {"name", info.name},
                                   {"kind", kind(info)},
                                   {"platform", info.platform},
                                   {"driver", info.driver_version},
                                   {"compute_units", info.compute_units},
                                   {"has_fp64", info.has_fp64},
                                   {"used", gpu != nullptr && gpu->info().index == info.index}});
  }
  for (const CoreTypeFinding& f : findings) {
    document["core_types"].push_back({{"core_type", f.core_type},
                                      {"core_name", f.core_name},
                                      {"sgemm_gflops", f.sgemm_gflops},
                                      {"dgemm_gflops", f.dgemm_gflops}});
  }
  return document;
}

int require_gpu(Settings settings) {
  std::string why_not;
  const auto device =
      cl::choose_device(cl::list_devices(&why_not), settings.device, false, &why_not);
  if (device && device->info.is_gpu) {
    // A device that is listed may fail to open; then another one is used.
    settings.standin = false;
    settings.strategy = Strategy::automatic;
    settings.verbose = 0;
    Engine engine(settings);
    if (const GpuSide* gpu = engine.gpu()) {
      std::cout << gpu->info().index << ": " << gpu->info().name << '\n';
      return done;
    }
    why_not = engine.facts().gpu_problem();
  }
  std::cout << (why_not.empty() ? "no GPU" : why_not) << '\n';
  return failed;
}

int run(const DevicesOptions& options) {
  const Settings settings = settings_from_environment();
  if (options.require_gpu) return require_gpu(settings);
  Engine engine(settings);
  // The engine first: a stand-in must start PoCL with its half of the cores, which listing would
  // start with all of them.
  engine.gpu();
  std::string none;
  const auto devices = cl::list_devices(&none);
  const auto findings =
      options.quick ? std::vector<CoreTypeFinding>() : measured_core_types(engine);
  const auto peaks = options.peak ? measured_peaks(engine) : std::vector<MachinePeak>();
  const auto memory =
      options.bandwidth ? std::optional(measure_memory_rates(engine)) : std::nullopt;
  if (options.json != "-") {
    print_devices(devices, none, engine, std::cout);
    print_cpu(engine, findings, std::cout);
    print_peaks(peaks, engine, std::cout);
    print_bandwidth(memory, engine, std::cout);
    for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device))
      std::cout << (arithmetic == Arithmetic::native ? "\nProfile: "
                                                     : "\nProfile of doubles by integers: ")
                << tuned_or_not(engine, arithmetic);
    std::cout << "\nWhat is missing or slow here, and what mends it: duoblas doctor\n";
  }
  if (!options.json.empty())
    write_json(options.json, devices_json(devices, engine, findings, peaks, memory));
  return done;
}

}  // namespace

void add_devices(CLI::App& app, int& code) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* command = app.add_subcommand(
      "devices", "List OpenCL devices, the CPU BLAS and its core types, and what would be used");
  add_value(*command, "--json", options->json, "FILE",
            "Write what was found to this file (- for stdout)");
  command->add_flag("--quick", options->quick, "Do not measure the CPU BLAS's core types");
  command->add_flag("--peak", options->peak,
                    "Measure what the device and the CPU multiply and add at most");
  command->add_flag("--bandwidth", options->bandwidth,
                    "Measure what memory gives the device, the CPU, and both at once");
  command->add_flag("--require-gpu", options->require_gpu,
                    "Only name the GPU that would be used; exit code 1 where there is none");
  command->footer(kDevicesFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
