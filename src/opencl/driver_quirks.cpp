#include "opencl/driver_quirks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

namespace duoblas::cl {
namespace {

constexpr std::string_view pocl = "Portable Computing Language";

using Q = DriverQuirks;

constexpr auto kQuirks = std::to_array<DriverQuirk>({
    {pocl, "", "", &Q::keeps_programs,
     "PoCL 3.1 on a Xeon, empty caches: asked for binaries it compiles every kernel once more; a "
     "panel "
     "kernel took 2.0 to 3.3 s with a cache of ours and 0.9 to 1.8 s without"},
    {pocl, "", "", &Q::sized_at_start,
     "PoCL's documentation of POCL_MAX_PTHREAD_COUNT; seen with 3.1, 5.0 and 6.0"},
    {pocl, "", "", &Q::one_stack_per_group,
     "PoCL 3.1: 4.5 times the words that a kernel's work-items hold; one of 2048 took 8.06 MiB of "
     "stack "
     "and crashed"},
    {pocl, "", "", &Q::slow_tiled_builds,
     "PoCL 3.1, 180 random kernels on two cores of a Xeon: up to 7.8 s of CPU time without a "
     "limit"},
    {pocl, "", "", &Q::leaks_mapped_buffers,
     "PoCL 3.1: the buffer's reference count never falls to 0, as the tests' OpenCL layer counts "
     "it"},
    {pocl, "", "", &Q::links_by_program,
     "PoCL 3.1 aborts at a kernel's first launch (\"Final linking of kernel f failed\") where "
     "SIGCHLD is ignored, another thread waits for any child, PATH has no ld, or its cache cannot "
     "be written or is noexec"},
    {pocl, "", "", &Q::needs_sysfs,
     "PoCL 3.1 aborts in clGetDeviceIDs without /sys (\"Not enough memory to run on this "
     "device\")"},
    {pocl, "", "7.0", &Q::compiler_aborts,
     "PoCL 6.0 with LLVM 18 (Debian 13) at one of 300 random kernels: \"Instruction Combining did "
     "not "
     "reach a fixpoint\"; pocl#1608",
     "6.0"},
    {"NVIDIA CUDA", "", "", &Q::allocates_late,
     "seen with driver 580: clCreateBuffer of more than the largest allocation succeeds"},
    {"NVIDIA CUDA", "", "", &Q::compiler_holds_context,
     "driver 580.159.04: clEnqueueWriteBuffer took 0.2 to 0.3 s beside a build "
     "(docs/experiments/drop-in.md)"},
    {"NVIDIA CUDA", "GB10", "", &Q::unified_but_shadows,
     "FluidX3D#351: unified memory is reported, and CL_MEM_USE_HOST_PTR is a copy"},
    {"Intel(R) OpenCL", "", "", &Q::misreads_divided_ids,
     "Intel's CPU runtime 2026.2 reads in[get_local_id(0)] for in[(int)(get_local_id(0) / 4)], and "
     "is right with CL_CONFIG_CPU_VECTORIZER_MODE=1 (tests/drivers)"},
    {"rusticl", "llvmpipe", "25.0", &Q::understates_groups,
     "Mesa 22.3.6 says 32 of kernels that it launches, and computes right, with 256 work-items; "
     "25.0.7 is right"},
    {"rusticl", "llvmpipe", "25.0", &Q::ends_long_loops,
     "Mesa 22.3.6: a loop of 100,000 turns ends after 65,535, nested ones after as many together "
     "(tests/drivers); 25.0.7 is right"},
});

// "22.3.6" as {22, 3, 6}.
std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  std::size_t at = 0;
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  while (digit(at)) {
    std::int64_t number = 0;
    // A version has no number of more digits; a date has.
    for (; digit(at); ++at)
      number = std::min<std::int64_t>(number * 10 + (text[at] - '0'), 1 << 30);
    numbers.push_back(number);
    if (at >= text.size() || text[at] != '.') break;
    ++at;
  }
  return numbers;
}

// The last number with a dot: "OpenCL 3.0 Mesa 22.3.6" names the standard first.
std::vector<std::int64_t> version_of(std::string_view text) {
  std::vector<std::int64_t> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = std::isdigit(static_cast<unsigned char>(text[at])) != 0 &&
                        (at == 0 || (std::isdigit(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                     text[at - 1] != '.'));
    if (!starts) continue;
    if (auto numbers = numbers_of(text.substr(at)); numbers.size() > 1) found = std::move(numbers);
  }
  return found;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool applies(const DriverQuirk& quirk, const DeviceInfo& info) {
  return (quirk.platform.empty() || info.platform == quirk.platform) &&
         has(info.name, quirk.device) &&
         (quirk.fixed_in.empty() || is_version_below(info.driver_version, quirk.fixed_in)) &&
         (quirk.since.empty() || !is_version_below(info.driver_version, quirk.since));
}

}  // namespace

std::span<const DriverQuirk> known_quirks() {
  return kQuirks;
}

bool is_version_below(std::string_view version, std::string_view bound) {
  const auto numbers = version_of(version);
  const auto limit = numbers_of(bound);
  return !numbers.empty() && std::ranges::lexicographical_compare(numbers, limit);
}

DriverQuirks quirks_of(const DeviceInfo& info) {
  DriverQuirks quirks;
  for (const DriverQuirk& quirk : kQuirks)
    if (applies(quirk, info)) quirks.*quirk.effect = true;
  return quirks;
}

DeviceInfo corrected(DeviceInfo info) {
  if (quirks_of(info).unified_but_shadows) info.unified_memory = false;
  return info;
}

}  // namespace duoblas::cl
