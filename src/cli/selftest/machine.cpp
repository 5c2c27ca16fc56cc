// What the selftest ran on: software, processors, devices, and what is set.

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/duoblas.h>

#include "cli/driver_hints.hpp"
#include "cli/selftest/section.hpp"
#include "cli/text_table.hpp"
#include "cpu/topology.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "os/machine_facts.hpp"
#include "profile/profile_match.hpp"

namespace duoblas::cli::selftest {
namespace {

std::string system_name() {
  std::ifstream lines("/etc/os-release");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string value = line.substr(12);
    std::erase(value, '"');
    return value;
  }
  return "unknown";
}

Finding software() {
  const KernelFacts system = kernel_facts();
  return told(std::string("DuoBLAS ") + duoblas_version() + ", " + system_name() + ", " +
                  system.name + " " + system.release + ", " + system.architecture,
              {{"duoblas", duoblas_version()},
               {"system", system_name()},
               {"kernel", system.release},
               {"kernel_build", system.build},
               {"architecture", system.architecture},
               {"c_library", c_library_version()}});
}

Finding processor() {
  const Topology& found = topology();
  const std::size_t total = memory_bytes();
  Finding finding =
      told(found.cpu_model + ", " + std::to_string(found.cores) + " cores, " + bytes(total),
           {{"model", found.cpu_model},
            {"cores", found.cores},
            {"hardware_threads", found.hardware_threads},
            {"l2_bytes", found.l2_bytes},
            {"l3_bytes", found.l3_bytes},
            {"memory_bytes", total},
            {"kinds", nlohmann::json::array()}});
  for (const CoreKind& kind : found.kinds)
    finding.facts["kinds"].push_back({{"name", kind.name}, {"threads", kind.cores.size()}});
  return finding;
}

Finding cpu_blas(Engine& engine) {
  const std::string text = engine.cpu().description(engine.machine().cpu_all_for(Precision::d));
  return told(text, {{"description", text},
                     {"library", engine.cpu().library_path()},
                     {"threads", engine.cpu().limits().threads},
                     {"cores_allowed", engine.cpu().limits().cores.size()}});
}

Finding environment() {
  Finding finding;
  for (const auto& [variable, value] : driver_environment()) {
    finding.facts[variable] = value;
    finding.text += (finding.text.empty() ? "" : " ") + variable + "=" + value;
  }
  finding.shown = !finding.text.empty();
  return finding;
}

nlohmann::json to_json(const cl::DeviceInfo& info) {
  return {{"index", info.index},
          {"name", info.name},
          {"vendor", info.vendor},
          {"platform", info.platform},
          {"driver", info.driver_version},
          {"version", info.device_version},
          {"gpu", info.is_gpu},
          {"cpu", info.is_cpu},
          {"fp64", info.has_fp64},
          {"fma_single", info.fma_single},
          {"fma_double", info.fma_double},
          {"unified_memory", info.unified_memory},
          {"system_svm", info.system_svm},
          {"compute_units", info.compute_units},
          {"max_work_group_size", info.max_work_group_size},
          {"local_memory_bytes", info.local_memory_bytes},
          {"global_memory_bytes", info.global_memory_bytes},
          {"max_allocation_bytes", info.max_allocation_bytes},
          {"base_alignment_bytes", info.base_alignment_bytes},
          {"native_vector_bytes", info.native_vector_bytes},
          {"max_image_pixels", info.max_image_pixels}};
}

Finding devices(const std::vector<cl::Device>& found, const std::string& none) {
  Finding finding = told("", {{"devices", nlohmann::json::array()}, {"why_none", none}});
  for (const cl::Device& device : found) {
    finding.facts["devices"].push_back(to_json(device.info));
    finding.text += (finding.text.empty() ? "" : "; ") + device.info.name + " (" +
                    device.info.platform + ", driver " + device.info.driver_version + ")";
  }
  if (found.empty()) finding.text = "none: " + none;
  return finding;
}

Finding graphics() {
  const auto cards = graphics_cards();
  Finding finding = told("", {{"cards", nlohmann::json::array()}});
  for (const GraphicsCard& card : cards) {
    finding.text += (finding.text.empty() ? "" : "; ") + describe(card);
    finding.facts["cards"].push_back({{"vendor", card.vendor},
                                      {"device", card.device},
                                      {"driver", card.driver},
                                      {"render_node", !card.render_node.empty()},
                                      {"access", static_cast<int>(card.access)}});
  }
  if (cards.empty()) finding.text = "the kernel tells of none (/sys/class/drm)";
  return finding;
}

Finding hints(const std::vector<cl::Device>& found) {
  std::vector<std::string> lines;
  for (const DriverHint& hint : driver_hints(found)) lines.push_back(hint.text());
  Finding finding;
  finding.facts = {{"hints", lines}};
  for (const std::string& line : lines)
    finding.text += (finding.text.empty() ? "! " : "\n! ") + line;
  finding.shown = !lines.empty();
  return finding;
}

Finding used_device(Engine& engine) {
  const GpuSide* gpu = engine.gpu();
  if (gpu == nullptr)
    return told("none, the CPU does everything: " + engine.facts().gpu_problem(),
                {{"index", nullptr}, {"why_none", engine.facts().gpu_problem()}});
  const DeviceLimits& limits = gpu->limits();
  const std::string profile(
      name(engine.machine().profile ? engine.machine().match : ProfileMatch::none));
  return told(gpu->info().name + (engine.settings().standin ? ", standing in for a GPU" : "") +
                  ", profile: " + profile,
              {{"index", gpu->info().index},
               {"standin", engine.settings().standin},
               {"memory_bytes", limits.memory_bytes},
               {"vector_bytes", limits.vector_bytes},
               {"local_memory_bytes", limits.local_memory_bytes},
               {"async_copies", limits.async_copies},
               {"tf32_matrix", limits.tf32_matrix},
               {"wide_matrix", limits.wide_matrix},
               {"fp64_matrix", limits.fp64_matrix},
               {"shuffle_width", limits.shuffle_width},
               {"profile", profile},
               {"profile_problem", engine.facts().profile_problem()},
               {"default_kernel", duoblas::describe(default_kernel(Precision::s, limits))}});
}

// Asks no driver.
Settings without_a_device(Settings settings) {
  settings.device = "none";
  settings.standin = false;
  return settings;
}

}  // namespace

// Facts that need no driver come first: they are reported even if the driver crashes.
void look_at_machine(SectionRun& run) {
  run.step("software", software);
  run.step("processor", processor);
  run.step("environment", environment);
  run.step("graphics", graphics);
  Engine engine(run.settings());
  bool opened = false;  // where that was left out it crashed or hung, and would again
  // Before devices are listed: a stand-in must start PoCL with its half of the cores.
  run.step("device", [&] {
    const Finding finding = used_device(engine);
    opened = true;
    return finding;
  });
  run.step("CPU BLAS", [&] {
    if (opened) return cpu_blas(engine);
    Engine cpu_only(without_a_device(run.settings()));
    return cpu_blas(cpu_only);
  });
  std::optional<std::vector<cl::Device>> found;
  run.step("OpenCL", [&] {
    std::string none;
    found = cl::list_devices(&none);
    return devices(*found, none);
  });
  if (found) run.step("hints", [&] { return hints(*found); });
}

}  // namespace duoblas::cli::selftest
