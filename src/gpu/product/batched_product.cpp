#include "gpu/product/batched_product.hpp"

#include <algorithm>
#include <string>

#include <duoblas/error.hpp>

#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/launch.hpp"
#include "gpu/product/covering_products.hpp"
#include "gpu/product/workbench.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// The limit of NVIDIA's devices along the third dimension.
constexpr std::int64_t most_products = 65535;
// Bytes of packed operands at a time, of each operand: they fit the caches of a large GPU or of a
// CPU, and an eighth of the memory. One product may take more.
std::size_t packed_at_once(const DeviceLimits& limits) {
  constexpr std::size_t most = std::size_t{32} << 20;
  return limits.memory_bytes > 0 ? std::min(most, limits.memory_bytes / 8) : most;
}

struct Batch {
  const GemmProblem& shape;
  const KernelVariant& variant;
  BuiltProgram& built;
  const BatchedOperands& operands;
};

KernelVariant variant_of(const KernelCache& cache, const GemmProblem& shape,
                         const KernelParams& kernel, Batching batching, bool aligned) {
  constexpr std::size_t most_variants = 64;
  KernelVariant variant{kernel, shape.precision, shape.op_a, shape.op_b};
  variant.rows = aligned ? rows_of(shape, kernel) : Rows::anyhow;
  variant.batching = batching;
  if (kernel.inline_sizes && cache.size() < most_variants) {
    variant.m = static_cast<int>(shape.m);
    variant.n = static_cast<int>(shape.n);
    variant.k = static_cast<int>(shape.k);
  }
  return normalised(variant);
}

// Products are not spread over compute units: many work-groups run at once anyway.
Launch launch_of_one(const TargetDevice& device, const KernelVariant& variant,
                     const GemmProblem& shape) {
  return launch(variant, shape.m, shape.n, shape.k, {1, device.limits.loop_turns});
}

std::size_t groups_of_one(const Launch& one, const KernelVariant& variant) {
  return one.product.global[0] / group_sizes(variant.params).product * one.product.global[1];
}

std::int64_t products_by_memory(const DeviceLimits& limits, const Launch& one) {
  const std::size_t packed = std::max(one.packed_a_bytes, one.packed_b_bytes);
  if (packed == 0) return most_products;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(packed_at_once(limits) / packed), 1,
                                  most_products);
}

// The number of products in one launch.
std::int64_t products_at_once(const Workbench& bench, const Batch& batch, const Launch& one) {
  const std::int64_t most = products_by_memory(bench.device.limits, one);
  if (bench.pace == nullptr) return most;
  const GemmProblem& shape = batch.shape;
  const double rate = bench.pace->rate_or_guess(batch.variant.params, shape.precision);
  const double seconds = launch_seconds(shape, {shape.m, shape.n}, rate);
  const auto units = static_cast<std::size_t>(std::max(1, bench.device.limits.compute_units));
  const auto busy =
      static_cast<double>(units / std::max<std::size_t>(1, groups_of_one(one, batch.variant)));
  // As many products as the device computes at once take as long as one.
  const double wanted = std::max({1.0, busy, bench.pace->bound() / seconds});
  return std::min(most, static_cast<std::int64_t>(std::min(wanted, 1e9)));
}

BoundOperand at_product(const BatchedOperand& operand, std::int64_t first, std::size_t element) {
  return shifted(operand.first, 0, first * operand.stride, element);
}

// One operand of these products, where the kernel takes it packed.
void pack(const Workbench& bench, const Batch& batch, const PackingLaunch& packing,
          std::int64_t first, std::int64_t count, ScratchBuffer& kept,
          std::shared_ptr<const cl::Buffer>& own, EarlierKernels& earlier,
          BatchedOperand& operand) {
  if (!packing.is_needed) return;
  const auto products = static_cast<std::size_t>(count);
  bench.scratch.packed_bytes += products * packing.bytes;
  own = memory_beside(kept, bench.device.context, products * packing.bytes);
  BatchedOperand packed;
  packed.first.buffer = own;
  packed.stride = static_cast<std::int64_t>(packing.bytes / element_size(batch.shape.precision));
  cl::Kernel& kernel = batch.built.kernel(packing.kernel);
  KernelArguments arguments(kernel, batch.shape.precision);
  arguments.size(packing.extent)
      .size(batch.shape.k)
      .operand(operand.first)
      .buffer(*own)
      .distance(operand.stride)
      .distance(packed.stride);
  if (batch.operands.places) arguments.buffer(*batch.operands.places).size(first);
  cl::Range range = packing.range;
  range.depth = products;
  earlier.push_back(std::make_shared<cl::Event>(bench.queue.enqueue(kernel, range)));
  operand = packed;
}

// Products [first, first + count) in one launch.
cl::Event launch_products(const Workbench& bench, const Batch& batch, const Launch& one,
                          std::int64_t first, std::int64_t count, ProductScratch& scratch) {
  const GemmProblem& shape = batch.shape;
  const std::size_t element = element_size(shape.precision);
  const bool by_places = batch.operands.places != nullptr;
  const auto ready = [&](const BatchedOperand& operand) {
    BatchedOperand moved = operand;
    if (by_places)
      moved.stride = 0;
    else
      moved.first = at_product(operand, first, element);
    return moved;
  };
  BatchedOperand a = ready(batch.operands.a), b = ready(batch.operands.b);
  const BatchedOperand c = ready(batch.operands.c);
  pack(bench, batch, packing_of_a(one, shape), first, count, bench.scratch.packed_a,
       scratch.packed_a, scratch.earlier, a);
  pack(bench, batch, packing_of_b(one, shape), first, count, bench.scratch.packed_b,
       scratch.packed_b, scratch.earlier, b);
  KernelArguments arguments(batch.built.kernel("gemm"), shape.precision);
  arguments.size(shape.m)
      .size(shape.n)
      .size(shape.k)
      .scalar(shape.alpha)
      .operand(a.first)
      .operand(b.first)
      .scalar(shape.beta)
      .operand(c.first)
      .distance(a.stride)
      .distance(b.stride)
      .distance(c.stride);
  if (by_places) arguments.buffer(*batch.operands.places).size(first);
  cl::Range range = one.product;
  range.depth = static_cast<std::size_t>(count);
  return bench.queue.submit(batch.built.kernel("gemm"), range);
}

cl::Event launch_all(const Workbench& bench, const Batch& batch, std::int64_t count,
                     ProductScratch& scratch) {
  const Launch one = launch_of_one(bench.device, batch.variant, batch.shape);
  const std::int64_t most = products_at_once(bench, batch, one);
  cl::Event last;
  for (std::int64_t first = 0; first < count; first += most) {
    extend(last, launch_products(bench, batch, one, first, std::min(most, count - first), scratch));
  }
  return last;
}

bool reads_aligned(const GemmProblem& shape, const KernelParams& kernel,
                   const BatchedOperands& operands) {
  return (operands.a.aligned || packs_a(kernel, shape.op_a)) &&
         (operands.b.aligned || packs_b(kernel, shape.op_b));
}

}  // namespace

KernelParams without_what_batches_lack(KernelParams kernel, Precision precision,
                                       const DeviceLimits& limits) {
  if (kernel.matrix == MatrixUnit::tf32x3) kernel = exact_twin(precision, limits);
  kernel.k_split = 1;
  kernel.split_last = false;
  kernel.image_a = kernel.image_b = false;
  return canonical(kernel);
}

cl::Event submit_batched(OpenedDevice& device, const GemmProblem& shape, std::int64_t count,
                         const KernelParams& wanted, const BatchedOperands& operands,
                         ProductScratch& scratch) {
  const KernelParams kernel = without_what_batches_lack(wanted, shape.precision, device.limits);
  const Batching batching = operands.places ? Batching::table : Batching::strided;
  const KernelVariant variant =
      variant_of(device.kernels, shape, kernel, batching, reads_aligned(shape, kernel, operands));
  BuiltProgram& built = device.kernels.get(variant);
  return device.kernels.launching(variant, [&] {
    return launch_all(bench_of(device, scratch), {shape, variant, built, operands}, count, scratch);
  });
}

void run_batch_alone(const TargetDevice& device, cl::Queue& queue, const GemmProblem& shape,
                     std::int64_t count, const KernelVariant& variant, BuiltProgram& built,
                     const BatchedOperands& operands) {
  DeviceScratch scratch;
  ProductScratch kept;
  keep(kept.earlier,
       launch_all({device, queue, scratch}, {shape, variant, built, operands}, count, kept));
  queue.finish();
  require_all(queue, kept.earlier);
}

}  // namespace duoblas
