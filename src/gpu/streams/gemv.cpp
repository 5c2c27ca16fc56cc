#include "gpu/streams/gemv.hpp"

#include <algorithm>
#include <memory>

#include "gpu/device/operand_image.hpp"
#include "gpu/kernels/kernel_arguments.hpp"

namespace duoblas {
namespace {

std::size_t element_of(const GemvProblem& p) {
  return element_size(p.precision);
}

std::uint64_t elements_in(std::size_t bytes, const GemvProblem& p) {
  return bytes / element_of(p);
}

cl::Event enqueue_part(const TargetDevice& device, cl::Queue& queue, const GemvProblem& p,
                       const GemvVariant& variant, BuiltProgram& built,
                       const GemvOperands& operands, GemvScratch& scratch) {
  const GemvKernel& kernel = variant.kernel;
  const GemvDivision division = division_of(device, p, kernel);
  const bool splits = division.slices > 1;
  const bool fuses = kernel.fused > 0, adds_later = splits && !fuses;
  const auto& y = operands.y;
  cl::Kernel& gemv = built.kernel("gemv");
  KernelArguments arguments(gemv, p.precision);
  arguments.size(p.rows).size(p.columns).scalar(p.alpha).operand(operands.a);
  arguments.buffer(*operands.x.buffer).offset(elements_in(operands.x.offset_bytes, p));
  arguments.scalar(p.beta);
  arguments.buffer(adds_later ? *scratch.sums : *y.buffer)
      .offset(adds_later ? 0 : elements_in(y.offset_bytes, p))
      .size(adds_later ? 1 : y.increment)
      .size(division.slice);
  // Neither is used if there is one slice.
  if (fuses)
    arguments.buffer(splits ? *scratch.sums : *y.buffer)
        .buffer(splits ? *scratch.tickets : *y.buffer);
  if (kernel.image != 0) arguments.image(scratch.image);
  const auto across = static_cast<std::size_t>(kernel.across);
  const auto teams = static_cast<std::size_t>(p.transposes ? kernel.teams : 1);
  const cl::Range range{{static_cast<std::size_t>(division.groups) * across,
                         static_cast<std::size_t>(division.slices) * teams},
                        {across, teams}};
  if (!adds_later) return queue.submit(gemv, range);
  scratch.earlier.push_back(std::make_shared<const cl::Event>(queue.enqueue(gemv, range)));
  cl::Kernel& sum = built.kernel("sum");
  KernelArguments(sum, p.precision)
      .size(p.outputs())
      .size(division.slices)
      .scalar(p.alpha)
      .buffer(*scratch.sums)
      .scalar(p.beta)
      .buffer(*y.buffer)
      .offset(elements_in(y.offset_bytes, p))
      .size(y.increment);
  return queue.submit(sum, {{static_cast<std::size_t>(p.outputs()), 1}, {1, 1}});
}

// Zeros, which launches leave as zeros, unless one of them fails.
std::shared_ptr<const cl::Buffer> tickets(OpenedDevice& device, std::size_t bytes,
                                          EarlierKernels& earlier) {
  ZeroTickets& kept = device.scratch.tickets;
  const auto made = kept.at_least(device.context, bytes);
  if (kept.are_zeros()) return made;
  earlier.push_back(
      std::make_shared<const cl::Event>(device.queue.fill_with_zeros(*made, kept.bytes())));
  kept.become_zeros();
  return made;
}

// Makes the image that the variant reads.
GemvVariant variant_for(const OpenedDevice& device, const GemvProblem& problem, GemvKernel kernel,
                        const GemvOperands& operands, GemvScratch& scratch) {
  scratch.image.reset();
  // A kernel must not read memory through an image that it writes.
  const bool written = operands.a.buffer->raw() == operands.y.buffer->raw();
  if (kernel.image != 0 && operands.aligned && !written)
    if (auto image =
            image_in_place(device, operands.a, problem.rows, problem.columns, problem.precision))
      scratch.image = std::move(*image);
  if (!scratch.image) kernel.image = 0;
  const auto sized = of_these_sizes(device, problem, kernel, operands.aligned);
  if (sized && may_have_sizes(device, problem, *sized, operands.may_build_sizes)) return *sized;
  return of_any_size(kernel, operands.aligned);
}

struct GemvProgram {
  GemvProblem problem;
  GemvVariant variant;

  ProgramNumber number() const { return program_number_of(problem, variant); }
  ProgramText text() const { return gemv_program(problem, variant); }
  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const {
    return duoblas::what_is_wrong(device, problem, variant, built, seed);
  }
};

}  // namespace

GemvNeeds gemv_needs(const TargetDevice& device, const GemvProblem& problem,
                     const GemvKernel& kernel) {
  GemvNeeds needs;
  // The launches of a bounded call use one buffer, one after another. All have the same size except
  // the last.
  const std::int64_t each = outputs_of_launch(device, problem, kernel);
  for (const std::int64_t count : {std::min(each, problem.outputs()), problem.outputs() % each}) {
    if (count == 0) continue;
    const GemvDivision division = division_of(device, outputs_of(problem, {0, count}), kernel);
    if (division.slices <= 1) continue;
    needs.sums = std::max(needs.sums,
                          static_cast<std::size_t>(division.slices * count) * element_of(problem));
    if (kernel.fused > 0)
      needs.tickets =
          std::max(needs.tickets, static_cast<std::size_t>(division.groups) * sizeof(int));
  }
  if (problem.x.increment != 1)
    needs.dense_x = static_cast<std::size_t>(problem.terms()) * element_of(problem);
  return needs;
}

bool starts_vectors_aligned(const BoundOperand& a, const GemvProblem& problem,
                            const GemvKernel& kernel) {
  const std::size_t bytes =
      static_cast<std::size_t>(kernel.vector_width) * element_size(problem.precision);
  // The device aligns its own buffers; a buffer over host memory has the alignment of that.
  const bool base =
      copies(a.mode) || (reinterpret_cast<std::uintptr_t>(problem.a) - a.offset_bytes) % bytes == 0;
  return base && a.offset_bytes % bytes == 0 && a.pitch_bytes % bytes == 0;
}

cl::Event enqueue_gemv(const TargetDevice& device, cl::Queue& queue, const GemvProblem& problem,
                       const GemvVariant& variant, BuiltProgram& built,
                       const GemvOperands& operands, GemvScratch& scratch) {
  GemvOperands of_part = operands;
  if (operands.x.increment != 1) {
    cl::Kernel& gather = built.kernel("gather");
    KernelArguments(gather, problem.precision)
        .size(problem.terms())
        .buffer(*operands.x.buffer)
        .offset(elements_in(operands.x.offset_bytes, problem))
        .size(operands.x.increment)
        .buffer(*scratch.dense_x);
    scratch.earlier.push_back(std::make_shared<const cl::Event>(
        queue.enqueue(gather, {{static_cast<std::size_t>(problem.terms()), 1}, {1, 1}})));
    of_part.x = {scratch.dense_x, 0, 1};
  }
  const std::int64_t each =
      variant.rows > 0 ? problem.outputs() : outputs_of_launch(device, problem, variant.kernel);
  const std::size_t element = element_of(problem);
  cl::Event last;
  for (std::int64_t first = 0; first < problem.outputs(); first += each) {
    const GemvProblem part =
        outputs_of(problem, {first, std::min(each, problem.outputs() - first)});
    of_part.a = problem.transposes ? shifted(operands.a, 0, first, element)
                                   : shifted(operands.a, first, 0, element);
    of_part.y = shifted(operands.y, first, element);
    extend(last, enqueue_part(device, queue, part, variant, built, of_part, scratch));
  }
  return last;
}

cl::Event submit_gemv(OpenedDevice& device, const GemvProblem& problem, const GemvKernel& kernel,
                      const GemvOperands& operands, GemvScratch& scratch) {
  const GemvVariant variant = variant_for(device, problem, kernel, operands, scratch);
  BuiltProgram& built = device.kernels.get(GemvProgram{problem, variant});
  const GemvNeeds needs = gemv_needs(device, problem, kernel);
  // The memory that an earlier call left there may be too small.
  if (needs.sums > 0) scratch.sums = device.scratch.partial.at_least(device.context, needs.sums);
  if (needs.dense_x > 0)
    scratch.dense_x = device.scratch.packed_b.at_least(device.context, needs.dense_x);
  if (needs.tickets > 0) scratch.tickets = tickets(device, needs.tickets, scratch.earlier);
  return enqueue_gemv(device, device.queue, problem, variant, built, operands, scratch);
}

std::vector<TriedProgram> gemv_programs(const OpenedDevice& device, const GemvProblem& problem,
                                        const GemvKernel& kernel) {
  std::vector<TriedProgram> programs;
  const auto add_both = [&](const GemvKernel& of, bool aligned) {
    programs.push_back(tried(GemvProgram{problem, of_any_size(of, aligned)}));
    const auto sized = of_these_sizes(device, problem, of, aligned);
    if (sized && may_have_sizes(device, problem, *sized, true))
      programs.push_back(tried(GemvProgram{problem, *sized}, true));
  };
  for (const bool aligned : {true, false}) {
    GemvKernel from_buffer = kernel;
    from_buffer.image = 0;
    add_both(from_buffer, aligned);
    // Aligned rows may still be in a buffer over which no image can be made.
    if (aligned && kernel.image != 0) add_both(kernel, aligned);
  }
  return programs;
}

}  // namespace duoblas
