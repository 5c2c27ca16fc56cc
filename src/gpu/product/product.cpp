#include "gpu/product/product.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <duoblas/error.hpp>

#include "gpu/integers/integer_product.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/launch.hpp"
#include "gpu/product/bounded_launches.hpp"
#include "gpu/product/covering_products.hpp"
#include "gpu/product/product_images.hpp"
#include "gpu/product/workbench.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/fallback_kernels.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// Where the guard's answer is, and the number with which it says that operands do not suit.
struct Ticket {
  const cl::Buffer* flag = nullptr;
  int number = 0;
};

// Packs one operand into tile order.
KernelArguments set_packing(cl::Kernel& kernel, const GemmProblem& problem, std::int64_t extent,
                            const BoundOperand& from, const cl::Buffer& to) {
  KernelArguments arguments(kernel, problem.precision);
  arguments.size(extent).size(problem.k).operand(from).buffer(to);
  return arguments;
}

// Enqueues the kernel that looks for numbers in A and B, which are of floats, that do not suit an
// opt-in arithmetic (kernels/guard.cl). Complex ones are packed, and packing looks at them.
cl::Event check_operands(OpenedDevice& device, const GemmProblem& problem,
                         const ProductOperands& operands, const Ticket& ticket) {
  // Enough work-items to fill a large GPU, each with several rows to read at a time.
  constexpr std::size_t group = 128, columns_each = 4, down = 2 * 256;
  const auto columns =
      static_cast<std::size_t>(std::max(stored_cols_a(problem), stored_cols_b(problem)));
  cl::Kernel& kernel = device.kernels.guard();
  KernelArguments(kernel, problem.precision)
      .size(stored_rows_a(problem))
      .size(stored_cols_a(problem))
      .operand(operands.a)
      .size(stored_rows_b(problem))
      .size(stored_cols_b(problem))
      .operand(operands.b)
      .buffer(*ticket.flag)
      .size(ticket.number);
  return device.queue.enqueue(
      kernel,
      {{(columns + columns_each * group - 1) / (columns_each * group) * group, down}, {group, 1}});
}

// The variant for this call. Sizes are compiled in for as many shapes as a program may well have; a
// program with ever new shapes must not compile for ever. A kernel is tried with its own sizes, so
// its operands must not take much memory.
KernelVariant variant_for(const KernelCache& cache, const GemmProblem& problem,
                          const KernelParams& kernel, const ProductOperands& operands,
                          Guard guard) {
  constexpr std::size_t most_variants = 64;
  constexpr double most_bytes_tried = 512 << 20;
  KernelVariant variant{kernel, problem.precision, problem.op_a, problem.op_b, guard};
  const bool aligned =
      (operands.aligned_a || packs_a(variant)) && (operands.aligned_b || packs_b(variant));
  variant.rows = aligned ? rows_of(problem, kernel) : Rows::anyhow;
  const double largest = static_cast<double>(problem.n) * static_cast<double>(problem.k) *
                         static_cast<double>(element_size(problem.precision));
  if (kernel.inline_sizes && cache.size() < most_variants && largest <= most_bytes_tried) {
    variant.n = static_cast<int>(problem.n);
    variant.k = static_cast<int>(problem.k);
  }
  return normalised(variant);
}

// The variant for aligned operands, so that nothing else has to be built.
KernelVariant packing_variant(const KernelCache& cache, const GemmProblem& problem,
                              const KernelParams& kernel) {
  ProductOperands aligned;
  aligned.aligned_a = aligned.aligned_b = true;
  return variant_for(cache, problem, kernel, aligned, Guard::none);
}

Launch launch_of(const TargetDevice& device, const KernelVariant& variant,
                 const GemmProblem& problem, SplitLast split_last = SplitLast::where_it_pays) {
  return launch(variant, problem.m, problem.n, problem.k,
                {device.limits.compute_units, device.limits.loop_turns, split_last});
}

// The product of operands in the kernel's form, and the sums of a split k.
cl::Event submit_part(const Workbench& bench, const GemmProblem& problem,
                      const KernelVariant& variant, BuiltProgram& built, const Launch& ranges,
                      const LaunchOperands& operands, ProductScratch& scratch,
                      const Ticket& ticket) {
  const bool has_parts = ranges.partial_bytes > 0;
  BoundOperand sums;
  sums.buffer = scratch.partial;
  KernelArguments product(built.kernel("gemm"), problem.precision);
  product.size(problem.m).size(problem.n).size(problem.k).scalar(problem.alpha);
  if (variant.params.image_a)
    product.operand(operands.a, scratch.image_a);
  else
    product.operand(operands.a);
  if (variant.params.image_b)
    product.operand(operands.b, scratch.image_b);
  else
    product.operand(operands.b);
  const bool splits_last = variant.params.split_last, splits_k = has_parts && !splits_last;
  product.scalar(problem.beta).operand(splits_k ? sums : operands.c);
  if (ticket.flag != nullptr) product.buffer(*ticket.flag).size(ticket.number);
  if (splits_last)
    product.buffer(has_parts ? *scratch.partial : *operands.c.buffer)
        .size(ranges.whole_tiles)
        .size(ranges.splits);
  if (!has_parts) return submit_last(bench.queue, built.kernel("gemm"), ranges.product, scratch);

  enqueue_earlier(bench.queue, built.kernel("gemm"), ranges.product, scratch);
  // Whole tiles of C are written by this kernel.
  scratch.writes_c |= splits_last && ranges.whole_tiles > 0;
  KernelArguments reduce(built.kernel("reduce"), problem.precision);
  reduce.size(problem.m)
      .size(problem.n)
      .size(problem.k)
      .scalar(problem.alpha)
      .buffer(*scratch.partial)
      .scalar(problem.beta)
      .operand(operands.c);
  if (splits_last) reduce.size(ranges.whole_tiles).size(ranges.splits);
  return submit_last(bench.queue, built.kernel("reduce"), ranges.reduce, scratch);
}

cl::Event submit_variant(const Workbench& bench, const GemmProblem& problem,
                         const KernelVariant& variant, BuiltProgram& built,
                         const ProductOperands& operands, ProductScratch& scratch,
                         const Ticket& ticket) {
  const TargetDevice& device = bench.device;
  const Launch ranges = launch_of(device, variant, problem, bench.split_last);
  const Ticket* const marked = packing_marks(variant) ? &ticket : nullptr;
  const auto packed = [&](const PackingLaunch& packing, bool is_there, BoundOperand operand,
                          ScratchBuffer& kept, std::shared_ptr<const cl::Buffer>& own,
                          cl::Image* image) {
    if (packing.is_needed && !is_there) {
      bench.scratch.packed_bytes += packing.bytes;
      own = memory_beside(kept, device.context, packing.bytes);
      cl::Kernel& kernel = built.kernel(packing.kernel);
      KernelArguments arguments = set_packing(kernel, problem, packing.extent, operand, *own);
      if (marked != nullptr) arguments.buffer(*marked->flag).size(marked->number);
      enqueue_earlier(bench.queue, kernel, packing.range, scratch);
      operand = BoundOperand{own};
    }
    if (packing.is_needed && image != nullptr)
      *image = image_of_packed(device, operand, packing.bytes, kept, problem.precision);
    return operand;
  };
  const BoundOperand a =
      packed(packing_of_a(ranges, problem), operands.packed_a, operands.a, bench.scratch.packed_a,
             scratch.packed_a, variant.params.image_a ? &scratch.image_a : nullptr);
  const BoundOperand b =
      packed(packing_of_b(ranges, problem), operands.packed_b, operands.b, bench.scratch.packed_b,
             scratch.packed_b, variant.params.image_b ? &scratch.image_b : nullptr);
  const BoundOperand& c = operands.c;
  if (ranges.partial_bytes > 0)
    scratch.partial = memory_beside(bench.scratch.partial, device.context, ranges.partial_bytes);
  if (bench.pace == nullptr)
    return submit_part(bench, problem, variant, built, ranges, {a, b, c}, scratch, ticket);
  const LaunchPart launch_part = [&](const GemmProblem& part, const LaunchOperands& of) {
    return submit_part(bench, part, variant, built,
                       launch_of(device, variant, part, bench.split_last), of, scratch, ticket);
  };
  scratch.flushes = true;  // it may wait in between
  // One of the two kernels behind a guard returns at once, so its time shows no rate.
  const bool may_wait = bench.may_wait && ticket.flag == nullptr;
  return submit_bounded(bench, may_wait, problem, variant, {a, b, c}, launch_part);
}

cl::Event submit_variant(OpenedDevice& device, const GemmProblem& problem,
                         const KernelVariant& variant, const ProductOperands& operands,
                         ProductScratch& scratch, const Ticket& ticket) {
  BuiltProgram& built = device.kernels.get(variant);
  return device.kernels.launching(variant, [&] {
    return submit_variant(bench_of(device, scratch), problem, variant, built, operands, scratch,
                          ticket);
  });
}

// Enqueues the kernels of both arithmetics. The guard's answer, on the device, decides which of
// them returns at once.
cl::Event submit_guarded(OpenedDevice& device, const GemmProblem& problem,
                         const KernelParams& kernel, const ProductOperands& operands,
                         ProductScratch& scratch) {
  const GuardFlag::Ticket drawn = device.scratch.flag.next(device.context);
  scratch.flag = drawn.flag;
  // On the device: a program's queue may wait for an event that the program has yet to set.
  if (drawn.is_first)
    keep(scratch.earlier, device.queue.fill_with_zeros(*scratch.flag, sizeof(int)));
  const Ticket ticket{scratch.flag.get(), drawn.number};
  const KernelVariant fast =
      variant_for(device.kernels, problem, kernel, operands, Guard::if_suited);
  if (!packing_marks(fast))
    keep(scratch.earlier, check_operands(device, problem, operands, ticket));
  keep(scratch.earlier, submit_variant(device, problem, fast, operands, scratch, ticket));
  const KernelVariant exact =
      variant_for(device.kernels, problem, exact_twin(problem.precision, device.limits), operands,
                  Guard::if_not);
  return submit_variant(device, problem, exact, operands, scratch, ticket);
}

}  // namespace

// The device aligns its own buffers; a buffer over host memory has the alignment of that.
bool starts_rows_aligned(const BoundOperand& bound, const void* host) {
  constexpr std::size_t unit = 16;
  const bool base = copies(bound.mode) || reinterpret_cast<std::uintptr_t>(host) % unit == 0;
  return base && bound.offset_bytes % unit == 0 && bound.pitch_bytes % unit == 0;
}

Rows rows_of(const GemmProblem& problem, const KernelParams& kernel) {
  const KernelVariant variant{kernel, problem.precision, problem.op_a, problem.op_b};
  const auto elements = static_cast<std::int64_t>(16 / element_size(problem.precision));
  const bool whole = (packs_a(variant) || stored_cols_a(problem) % elements == 0) &&
                     (packs_b(variant) || stored_cols_b(problem) % elements == 0);
  return whole ? Rows::whole : Rows::aligned;
}

void add_if_other_kernel(std::vector<GemmProblem>& products, const GemmProblem& product,
                         const KernelParams& kernel) {
  if (std::ranges::none_of(products, [&](const GemmProblem& known) {
        return known.op_a == product.op_a && known.op_b == product.op_b &&
               rows_of(known, kernel) == rows_of(product, kernel);
      }))
    products.push_back(product);
}

cl::Event submit_product(OpenedDevice& device, const GemmProblem& problem,
                         const KernelParams& kernel, const ProductOperands& operands,
                         ProductScratch& scratch) {
  if (is_by_integers(kernel))  // a job brings the result once it is certified
    throw DeviceError("the device has no double precision; the CPU has to do it");
  if (kernel.matrix == MatrixUnit::tf32x3)
    return submit_guarded(device, problem, kernel, operands, scratch);
  const KernelParams usable = with_images_in_place(device, problem, kernel, operands, scratch);
  const KernelVariant variant = variant_for(device.kernels, problem, usable, operands, Guard::none);
  return submit_variant(device, problem, variant, operands, scratch, {});
}

Packing packs_ahead(const GemmProblem& problem, const KernelParams& kernel) {
  if (kernel.matrix == MatrixUnit::tf32x3 || is_by_integers(kernel)) return {};
  return {packs_a(kernel, problem.op_a), packs_b(kernel, problem.op_b)};
}

cl::Event pack_ahead(OpenedDevice& device, const GemmProblem& problem, const KernelParams& kernel,
                     PackedFactor which, const BoundOperand& from,
                     const std::shared_ptr<const cl::Buffer>& packed) {
  const KernelVariant variant = packing_variant(device.kernels, problem, kernel);
  const Launch ranges = launch_of(device, variant, problem);
  const PackingLaunch launch =
      which == PackedFactor::a ? packing_of_a(ranges, problem) : packing_of_b(ranges, problem);
  cl::Kernel& packing = device.kernels.get(variant).kernel(launch.kernel);
  set_packing(packing, problem, launch.extent, from, *packed);
  device.scratch.packed_bytes += launch.bytes;
  return device.kernels.launching(variant,
                                  [&] { return device.queue.submit(packing, launch.range); });
}

namespace {

// The kernel for operands in place where the driver makes no image over them.
KernelParams from_buffers(KernelParams kernel) {
  kernel.image_a &= kernel.pack_a;
  kernel.image_b &= kernel.pack_b;
  return canonical(kernel);
}

}  // namespace

std::vector<KernelVariant> variants_for(const OpenedDevice& device, const GemmProblem& part,
                                        const KernelParams& kernel, SharingMode operands) {
  if (is_by_integers(kernel)) return {normalised({kernel, part.precision})};
  // A block of it may end at whole units where its own rows do not.
  std::vector<Rows> layouts = {rows_of(part, kernel)};
  if (layouts.front() == Rows::aligned && copies(operands)) layouts.push_back(Rows::whole);
  if (!copies(operands)) layouts.push_back(Rows::anyhow);
  std::vector<KernelVariant> variants;
  const auto add = [&](const KernelParams& params, Guard guard, Rows rows) {
    const auto add_once = [&](const KernelVariant& variant) {
      // No product asks for rows that end otherwise than those of compiled-in sizes.
      if (has_products(variant) && std::ranges::find(variants, variant) == variants.end())
        variants.push_back(variant);
    };
    KernelVariant variant = variant_for(device.kernels, part, params, {}, guard);
    variant.rows = rows;
    add_once(normalised(variant));
    variant.n = variant.k = 0;  // prepare_product's
    add_once(normalised(variant));
  };
  for (const Rows rows : layouts) {
    if (kernel.matrix != MatrixUnit::tf32x3) {
      add(kernel, Guard::none, rows);
      // There may be no image over a buffer that is too large, or a part of another.
      for (const bool without_a : {false, true}) {
        KernelParams other = kernel;
        (without_a ? other.image_a : other.image_b) &= without_a ? other.pack_a : other.pack_b;
        add(other, Guard::none, rows);
      }
      add(from_buffers(kernel), Guard::none, rows);
    } else {
      add(kernel, Guard::if_suited, rows);
      add(exact_twin(part.precision, device.limits), Guard::if_not, rows);
    }
  }
  return variants;
}

bool run_alone(const TargetDevice& device, cl::Queue& queue, const GemmProblem& problem,
               const KernelVariant& variant, BuiltProgram& built, const ProductOperands& operands) {
  DeviceScratch scratch;
  if (is_by_integers(variant.params)) {
    SubmittedIntegers submitted = submit_integers(device, queue, scratch, device.limits, built,
                                                  problem, {operands.a, operands.b}, operands.c);
    queue.finish();
    require_all(queue, submitted.product.take_earlier());
    require_certified(queue, submitted.product);
    return true;
  }
  ProductScratch kept;
  const auto flag = scratch.flag.buffer().at_least(device.context, sizeof(int));
  keep(kept.earlier, queue.fill_with_zeros(*flag, sizeof(int)));
  // The caller places the operands as the variant needs them.
  ProductOperands aligned = operands;
  aligned.aligned_a = aligned.aligned_b = true;
  // If the driver makes no image, calls do not use this variant either.
  if (with_images_in_place(device, problem, variant.params, aligned, kept) != variant.params)
    return false;
  // The flag is zero. `if_suited` computes if its ticket differs from that, `if_not` if it is
  // equal.
  Ticket ticket;
  if (variant.guard != Guard::none)
    ticket = {flag.get(), variant.guard == Guard::if_suited ? 1 : 0};
  keep(kept.earlier, submit_variant({device, queue, scratch, nullptr, SplitLast::always}, problem,
                                    variant, built, operands, kept, ticket));
  queue.finish();
  require_all(queue, kept.earlier);
  return true;
}

std::optional<KernelParams> launchable(const OpenedDevice& device, const KernelParams& wanted,
                                       Precision precision) {
  const KernelCache& kernels = device.kernels;
  if (!kernels.any_refused()) return wanted;
  const auto is_usable = [&](const KernelParams& kernel) {
    const bool guarded = kernel.matrix == MatrixUnit::tf32x3;
    return kernels.refusal(kernel, precision).empty() &&
           kernels.refusal(from_buffers(kernel), precision).empty() &&
           !(needs_guard(kernel) && kernels.refuses_guard()) &&
           (!guarded || kernels.refusal(exact_twin(precision, device.limits), precision).empty());
  };
  if (is_usable(wanted)) return wanted;
  // Others compute with doubles, which the device does not have.
  if (is_by_integers(wanted)) {
    for (const KernelParams& kernel : integers_kernels(device.limits))
      if (is_usable(kernel)) return kernel;
    return std::nullopt;
  }
  for (const KernelParams& kernel : fallback_kernels(wanted, precision, device.limits))
    if (is_usable(kernel)) return kernel;
  return std::nullopt;
}

void prepare_product(OpenedDevice& device, const KernelParams& kernel, Precision precision, Op op_a,
                     Op op_b, Rows rows) {
  if (kernel.matrix != MatrixUnit::tf32x3) {
    device.kernels.get(normalised({kernel, precision, op_a, op_b, Guard::none, rows}));
    return;
  }
  if (needs_guard(kernel)) device.kernels.guard();
  device.kernels.get(normalised({kernel, precision, op_a, op_b, Guard::if_suited, rows}));
  device.kernels.get(normalised(
      {exact_twin(precision, device.limits), precision, op_a, op_b, Guard::if_not, rows}));
}

}  // namespace duoblas
