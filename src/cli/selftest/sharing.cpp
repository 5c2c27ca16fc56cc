// Memory of each kind that programs have: what the driver does with it, and whether products in it
// are right.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/selftest/guarded_product.hpp"
#include "cli/selftest/small_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/mapping.hpp"

namespace duoblas::cli::selftest {
namespace {

constexpr std::array kinds = {MemoryKind::heap,          MemoryKind::pages,
                              MemoryKind::shared_pages,  MemoryKind::memory_file,
                              MemoryKind::file_private,  MemoryKind::file_shared,
                              MemoryKind::file_read_only};

constexpr std::size_t probe_bytes = 64u << 10;

// When the host sees what the device wrote. OpenCL promises it after a map only.
struct Visibility {
  bool at_once = false;
  bool after_a_map = false;
};

Visibility visibility(SmallKernel& small, MemoryKind kind) {
  const std::vector<char> ones(probe_bytes, 1), twos(probe_bytes, 2);
  const auto block = make_block(kind, ones);
  const cl::Buffer wrapped = small.context.wrap(block.get(), probe_bytes, cl::Access::read_write);
  const cl::Buffer source = small.context.allocate(probe_bytes, cl::Access::read_write);
  small.queue.write(source, twos.data(), {1, probe_bytes, probe_bytes, probe_bytes, 0}, true);
  const cl::Event copied = small.queue.copy(source, wrapped, probe_bytes);
  small.queue.finish();
  small.queue.check_ended(copied);
  Visibility seen;
  seen.at_once = std::memcmp(block.get(), twos.data(), probe_bytes) == 0;
  {
    const cl::Mapping mapping(small.queue, wrapped, cl::Access::read_only, probe_bytes);
    seen.after_a_map = std::memcmp(block.get(), twos.data(), probe_bytes) == 0;
  }
  small.queue.finish();
  return seen;
}

// Says what the driver does; nothing of it is wrong, since none of it is relied upon.
Finding probe(SmallKernel& small, MemoryKind kind) try {
  const Visibility seen = visibility(small, kind);
  return {Found::ok,
          seen.after_a_map ? "" : "not even a map shows what the device wrote",
          {{"visible_at_once", seen.at_once}, {"visible_after_a_map", seen.after_a_map}}};
} catch (const DeviceError& error) {
  return {Found::ok, "", {{"refused", error.what()}}};
}

Finding products(GpuSide& gpu, MemoryKind kind) {
  ProductTally tally;
  const KernelParams kernel = default_kernel(Precision::s, gpu.limits());
  for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
    for (ProductCase each : edge_cases(Precision::s, Op::none, Op::none)) {
      each.memory = kind;
      GuardedProduct product(each);
      gpu.submit(product.problem(), kernel, mode).wait();
      tally.add(product.check(), describe(each) + ", " + std::string(name(mode)));
    }
  }
  return tally.finding();
}

Finding granularity(const GpuSide& gpu) {
  const std::size_t bytes = gpu.sharing().granularity();
  Finding finding =
      told(bytes == 0   ? "matrices are copied: the driver shares no host memory"
           : bytes == 1 ? "zero-copy wherever memory lies"
                        : "zero-copy for windows of whole " + std::to_string(bytes) + " bytes",
           {{"granularity_bytes", bytes},
            {"mode", name(gpu.best_sharing())},
            {"alignments", nlohmann::json::array()}});
  for (const SharedAlignment& each : gpu.sharing().alignments)
    finding.facts["alignments"].push_back(
        {{"bytes", each.bytes}, {"shared", each.shared}, {"map_seconds", each.map_seconds}});
  return finding;
}

}  // namespace

void test_sharing(SectionRun& run) {
  Engine engine(run.settings());
  GpuSide* gpu = run.gpu_of(engine);
  if (gpu == nullptr) return;
  run.step("what is shared", [&] { return granularity(*gpu); });
  SmallKernel small(gpu->info());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0 && run.takes_too_long())
      return run.left_out(std::to_string(kinds.size() - i) + " kinds of memory");
    const MemoryKind kind = kinds[i];
    const std::string memory(name(kind));
    // Wrapping what may not be written is the driver's to refuse, or to crash at.
    if (kind != MemoryKind::file_read_only)
      run.step(memory + ": the driver", [&] { return probe(small, kind); });
    run.step(memory + ": products", [&] { return products(*gpu, kind); });
  }
}

}  // namespace duoblas::cli::selftest
