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

std::shared_ptr<const cl::Buffer> packed_buffer(ScratchBuffer& kept, const TargetDevice& device,
                                                std::size_t bytes) {
  const cl::DeviceInfo& info = device.context.device().info;
  if (bytes > info.max_allocation_bytes)
    throw DeviceError("packed operands of " + std::to_string(bytes) + " bytes are more than " +
                      info.name + " can allocate at once; the CPU has to do it");
  return kept.at_least(device.context, bytes);
}

struct Packing {
  cl::Kernel& kernel;
  cl::Range range;
  std::int64_t extent = 0;
  std::size_t bytes_of_one = 0;
};

BatchedOperand pack(const Workbench& bench, const Batch& batch, Packing packing,
                    const BatchedOperand& from, const std::shared_ptr<const cl::Buffer>& to,
                    std::int64_t first, std::int64_t count, EarlierKernels& earlier) {
  const std::size_t element = element_size(batch.shape.precision);
  const bool by_places = batch.operands.places != nullptr;
  BatchedOperand packed;
  packed.first.buffer = to;
  packed.stride = static_cast<std::int64_t>(packing.bytes_of_one / element);
  KernelArguments arguments(packing.kernel, batch.shape.precision);
  arguments.size(packing.extent)
      .size(batch.shape.k)
      .operand(by_places ? from.first : at_product(from, first, element))
      .buffer(*to)
      .distance(by_places ? 0 : from.stride)
      .distance(packed.stride);
  if (by_places) arguments.buffer(*batch.operands.places).size(first);
  packing.range.depth = static_cast<std::size_t>(count);
  earlier.push_back(
      std::make_shared<cl::Event>(bench.queue.enqueue(packing.kernel, packing.range)));
  return packed;
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
  const auto products = static_cast<std::size_t>(count);
  if (one.packs_a) {
    bench.scratch.packed_bytes += products * one.packed_a_bytes;
    scratch.packed_a =
        packed_buffer(bench.scratch.packed_a, bench.device, products * one.packed_a_bytes);
    a = pack(bench, batch, {batch.built.kernel("pack_a"), one.pack_a, shape.m, one.packed_a_bytes},
             batch.operands.a, scratch.packed_a, first, count, scratch.earlier);
  }
  if (one.packs_b) {
    bench.scratch.packed_bytes += products * one.packed_b_bytes;
    scratch.packed_b =
        packed_buffer(bench.scratch.packed_b, bench.device, products * one.packed_b_bytes);
    b = pack(bench, batch, {batch.built.kernel("pack_b"), one.pack_b, shape.n, one.packed_b_bytes},
             batch.operands.b, scratch.packed_b, first, count, scratch.earlier);
  }
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
  range.depth = products;
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

std::vector<KernelVariant> batched_variants_for(const OpenedDevice& device,
                                                const GemmProblem& shape,
                                                const KernelParams& wanted, bool copied) {
  const KernelParams kernel = without_what_batches_lack(wanted, shape.precision, device.limits);
  std::vector<KernelVariant> variants = {
      variant_of(device.kernels, shape, kernel, Batching::strided, true)};
  if (!copied) {
    const KernelVariant anyhow =
        variant_of(device.kernels, shape, kernel, Batching::strided, false);
    if (!(anyhow == variants.front())) variants.push_back(anyhow);
  }
  return variants;
}

PackedBytes packed_bytes(const OpenedDevice& device, const GemmProblem& shape, std::int64_t count,
                         const KernelParams& wanted) {
  const KernelParams kernel = without_what_batches_lack(wanted, shape.precision, device.limits);
  const Launch one = launch_of_one(
      device, variant_of(device.kernels, shape, kernel, Batching::strided, true), shape);
  const auto products =
      static_cast<std::size_t>(std::min(count, products_by_memory(device.limits, one)));
  return {products * one.packed_a_bytes, products * one.packed_b_bytes};
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
