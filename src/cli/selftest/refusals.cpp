// What the device cannot do must be an error that is told, and nothing afterwards may suffer.
#include <duoblas/error.hpp>

#include <string>

#include "cli/selftest/guarded_product.hpp"
#include "cli/selftest/small_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas::cli::selftest {
namespace {

template <typename Try>
Finding refusal(Try&& attempt) try {
  attempt();
  return {Found::ok, "", {{"refused", false}}};
} catch (const DeviceError& error) {
  return {Found::ok, "", {{"refused", true}, {"error", std::string(error.what()).substr(0, 1000)}}};
}

// A driver that takes what it should refuse is noted. One that takes a program which is none would
// make a build's success worthless.
Finding broken_program(const SmallKernel& small) {
  Finding finding = refusal([&] {
    cl::build_from_source(small.context, "__kernel void f(__global float* x) { x[0] = y; }", "")
        .kernel("f");
  });
  if (!finding.facts["refused"].get<bool>()) {
    finding.found = Found::wrong;
    finding.text = "a program that does not compile is taken";
  }
  return finding;
}

Finding too_many_items(SmallKernel& small, const cl::DeviceInfo& info) {
  const std::size_t items = info.max_work_group_size * 2;
  const cl::Buffer numbers = small.context.allocate(items * sizeof(float), cl::Access::read_write);
  small.kernel.set_argument(0, numbers);
  Finding finding = refusal([&] {
    small.queue.wait(small.queue.submit(small.kernel, {{items, 1}, {items, 1}}));
  });
  small.kernel.set_argument(0, small.numbers);
  return finding;
}

Finding too_large_a_buffer(SmallKernel& small, const cl::DeviceInfo& info) {
  return refusal([&] {
    small.context.allocate(info.max_allocation_bytes + (std::size_t{1} << 20),
                           cl::Access::read_write);
  });
}

Finding product_afterwards(GpuSide& gpu) {
  GuardedProduct product(edge_cases(Precision::s, Op::none, Op::none).front());
  gpu.submit(product.problem(), default_kernel(Precision::s, gpu.limits()), gpu.best_sharing())
      .wait();
  const ProductResult result = product.check();
  return result.right() ? Finding() : wrong(result.text());
}

}  // namespace

void test_refusals(SectionRun& run) {
  Engine engine(run.settings());
  GpuSide* gpu = run.gpu_of(engine);
  if (gpu == nullptr) return;
  const cl::DeviceInfo& info = gpu->info();
  SmallKernel small(info);
  run.step("a program that does not compile", [&] { return broken_program(small); });
  run.step("a work-group that is too large", [&] { return too_many_items(small, info); });
  run.step("a buffer that is too large", [&] { return too_large_a_buffer(small, info); });
  run.step("a product afterwards", [&] { return product_afterwards(*gpu); });
}

}  // namespace duoblas::cli::selftest
