#include "cpu/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "cpu/cpu_limits.hpp"

namespace duoblas {

// 64-bit Arm's kernel names no model, but who designed each core, and a number of his.
std::string cpu_model(std::istream& cpuinfo) {
  std::vector<std::string> designs;
  std::string implementer;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (!line.starts_with("CPU part")) continue;
    const std::string design = implementer + ":" + value;
    if (std::find(designs.begin(), designs.end(), design) == designs.end())
      designs.push_back(design);
  }
  if (designs.empty()) return "unknown processor";
  std::string model = "Arm core";
  for (const std::string& design : designs) model += ' ' + design;
  return model;
}

namespace {

int count(hwloc_topology_t machine, hwloc_obj_type_t type) {
  return std::max(1, hwloc_get_nbobjs_by_type(machine, type));
}

std::int64_t cache_bytes(hwloc_topology_t machine, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(machine, type, 0);
  return cache != nullptr ? static_cast<std::int64_t>(cache->attr->cache.size) : 0;
}

std::vector<CoreKind> kinds_of(hwloc_topology_t machine) {
  std::vector<CoreKind> kinds;
  const int n = hwloc_cpukinds_get_nr(machine, 0);
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (int i = 0; n > 1 && i < n; ++i) {
    CoreKind kind;
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (hwloc_cpukinds_get_info(machine, static_cast<unsigned>(i), set, &kind.efficiency, &infos,
                                &info, 0) != 0)
      continue;
    for (unsigned j = 0; j < infos; ++j)
      if (std::string(info[j].name) == "CoreType") kind.name = info[j].value;
    for (int core = hwloc_bitmap_first(set); core >= 0; core = hwloc_bitmap_next(set, core))
      kind.cores.push_back(core);
    kinds.push_back(std::move(kind));
  }
  hwloc_bitmap_free(set);
  return kinds;
}

std::vector<std::vector<int>> siblings_of(hwloc_topology_t machine) {
  std::vector<std::vector<int>> siblings;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core)) != nullptr) {
    std::vector<int>& threads = siblings.emplace_back();
    for (int pu = hwloc_bitmap_first(core->cpuset); pu >= 0;
         pu = hwloc_bitmap_next(core->cpuset, pu))
      threads.push_back(pu);
  }
  return siblings;
}

Topology discover() {
  Topology found;
  std::ifstream cpuinfo("/proc/cpuinfo");
  found.cpu_model = cpu_model(cpuinfo);
  hwloc_topology_t machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) return found;
  // hwloc's plugins would start OpenCL, CUDA or a display connection only to list devices.
  for (const char* plugin : {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl", "pci"})
    hwloc_topology_set_components(machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, plugin);
  if (hwloc_topology_load(machine) == 0) {
    found.packages = count(machine, HWLOC_OBJ_PACKAGE);
    found.cores = count(machine, HWLOC_OBJ_CORE);
    found.hardware_threads = count(machine, HWLOC_OBJ_PU);
    found.l1_bytes = cache_bytes(machine, HWLOC_OBJ_L1CACHE);
    found.l2_bytes = cache_bytes(machine, HWLOC_OBJ_L2CACHE);
    found.l3_bytes = cache_bytes(machine, HWLOC_OBJ_L3CACHE);
    found.kinds = kinds_of(machine);
    found.siblings = siblings_of(machine);
    if (const hwloc_obj_t package = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PACKAGE, 0))
      if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel"))
        if (*model != '\0') found.cpu_model = model;
  } else {
    found.hardware_threads = found.cores = static_cast<int>(allowed_cores().size());
  }
  hwloc_topology_destroy(machine);
  return found;
}

}  // namespace

bool have_different_speeds(const std::vector<int>& cores, const Topology& topology) {
  std::set<int> ranks;
  for (const CoreKind& kind : topology.kinds)
    if (std::find_first_of(kind.cores.begin(), kind.cores.end(), cores.begin(), cores.end()) !=
        kind.cores.end())
      ranks.insert(kind.efficiency);
  return ranks.size() > 1;
}

const Topology& topology() {
  static const Topology* const found = new Topology(discover());  // never destroyed
  return *found;
}

}  // namespace duoblas
