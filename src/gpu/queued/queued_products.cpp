#include "gpu/queued/queued_products.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/product/batched_product.hpp"
#include "gpu/queued/queued_state.hpp"
#include "kernel_space/fallback_kernels.hpp"
#include "opencl/callers_objects.hpp"
#include "opencl/status_class.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

// C = beta C becomes a product of zeros, because A and B must not be read.
GemmProblem as_product(GemmProblem problem) {
  if (!problem.only_scales_c()) return problem;
  problem.k = 1;
  problem.alpha = 0;
  problem.op_a = problem.op_b = Op::none;
  return problem;
}

bool is_larger_than_a_buffer(const WorkspaceBytes& needs, const OpenedDevice& device) {
  return std::max({needs.packed_a, needs.packed_b, needs.partial}) >
         device.context.device().info.max_allocation_bytes;
}

// The kernel that can replace this one and takes the least memory beside the operands. Nothing if
// none takes less.
std::optional<KernelParams> with_least_memory(const OpenedDevice& device,
                                              const GemmProblem& product,
                                              const KernelParams& kernel) {
  const auto bytes = [&](const KernelParams& of) {
    return workspace_bytes(product, of, device.limits).total(1);
  };
  std::optional<KernelParams> best;
  std::size_t least = bytes(kernel);
  for (const KernelParams& other : fallback_kernels(kernel, product.precision, device.limits)) {
    const bool can_run = launchable(device, other, product.precision) == other;
    if (!can_run || bytes(other) >= least) continue;
    least = bytes(other);
    best = other;
  }
  return best;
}

}  // namespace

// The program's matrices, and those of other programs, may have left less memory than the kernel
// takes beside its operands. Drivers tell that when a buffer is made, or at its first use. Then
// another kernel does it, unless C may have been written already.
cl::Event QueuedProducts::submit(State& state, const GemmProblem& problem,
                                 const KernelParams& wanted, const ProductOperands& operands) {
  OpenedDevice& device = state.device;
  KernelParams kernel = wanted;
  if (!state.workspace &&
      is_larger_than_a_buffer(duoblas::workspace_bytes(problem, kernel, device.limits), device))
    kernel = with_least_memory(device, problem, kernel).value_or(kernel);
  state.scratch.writes_c = false;
  try {
    return submit_product(device, problem, kernel, operands, state.scratch);
  } catch (const DeviceError& error) {
    if (state.workspace || state.scratch.writes_c || !cl::says_memory_is_short(error.code())) throw;
    const auto other = with_least_memory(device, problem, kernel);
    if (!other) throw;
    kernel = *other;
  }
  state.let_go_of_packed();
  return submit_product(device, problem, kernel, operands, state.scratch);
}

AdoptedOperand bind(const BufferPlace& place, const cl::Context& context, std::size_t element) {
  cl::AdoptedBuffer adopted = cl::adopt_buffer(place.buffer, context);
  AdoptedOperand bound;
  bound.operand.buffer = std::make_shared<cl::Buffer>(std::move(adopted.buffer));
  bound.operand.offset_bytes = static_cast<std::size_t>(place.offset) * element;
  bound.operand.pitch_bytes = static_cast<std::size_t>(place.ld) * element;
  constexpr std::size_t unit = 16;
  bound.aligned = adopted.aligned && bound.operand.offset_bytes % unit == 0 &&
                  bound.operand.pitch_bytes % unit == 0;
  return bound;
}

// Zeros in place of the operands, for a product of as_product().
ProductOperands QueuedProducts::zero_factors(State& state, const GemmProblem& product) {
  OpenedDevice& device = state.device;
  const std::size_t element = element_size(product.precision);
  const std::size_t bytes = bytes_of_zeros(product);
  ProductOperands operands;
  operands.a.buffer = operands.b.buffer = state.zeros.at_least(device.context, bytes);
  fill_unasked(device.queue, *operands.a.buffer, bytes);
  operands.a.pitch_bytes = element;
  operands.b.pitch_bytes = static_cast<std::size_t>(product.n) * element;
  return operands;
}

QueuedProducts::QueuedProducts(void* queue, const GpuFolders& folders, const GpuBounds& bounds,
                               const Verification& verification)
    : state_(std::make_unique<State>(queue, folders, bounds, verification)) {}

QueuedProducts::~QueuedProducts() = default;

KernelParams QueuedProducts::launchable(const KernelParams& wanted, Precision precision) const {
  return duoblas::launchable(state_->device, wanted, precision).value_or(wanted);
}

void QueuedProducts::expect_rate(Precision precision, double flops_per_second) {
  state_->device.pace.expect(precision, flops_per_second);
}

std::vector<WrongKernel> QueuedProducts::take_wrong() {
  KernelVerifier* const verifier = state_->device.kernels.verifier();
  return verifier == nullptr ? std::vector<WrongKernel>() : verifier->take_wrong();
}

const cl::DeviceInfo& QueuedProducts::info() const {
  return state_->device.context.device().info;
}

const DeviceLimits& QueuedProducts::limits() const {
  return state_->device.limits;
}

Misfit QueuedProducts::check(const BufferPlace& place, Precision precision, std::int64_t rows,
                             std::int64_t columns) const {
  const cl::AdoptedBuffer adopted = cl::adopt_buffer(place.buffer, state_->device.context);
  if (!adopted.in_context) return Misfit::other_context;
  const auto elements = adopted.bytes / element_size(precision);
  // Checked before the sizes are multiplied, which may overflow 64 bits.
  const bool is_sparse =
      rows > 1 && columns > 0 &&
      static_cast<std::size_t>(place.ld) > elements / static_cast<std::size_t>(rows - 1);
  if (is_sparse || static_cast<std::size_t>(columns) > elements) return Misfit::too_short;
  const auto bytes = static_cast<std::size_t>(footprint(precision, rows, columns, place.ld));
  const auto offset = static_cast<std::size_t>(place.offset);
  const bool fits =
      bytes == 0 || (offset <= elements && bytes / element_size(precision) <= elements - offset);
  if (!fits) return Misfit::too_short;
  const std::lock_guard guard(state_->device.mutex);
  const bool overlaps =
      state_->workspace &&
      state_->workspace->memory().overlaps(place.buffer, offset * element_size(precision), bytes);
  return overlaps ? Misfit::in_workspace : Misfit::none;
}

std::size_t QueuedProducts::workspace_bytes(const GemmProblem& problem,
                                            const KernelParams& kernel) const {
  if (problem.empty()) return 0;
  const OpenedDevice& device = state_->device;
  const auto bytes = [&](double alpha) {
    GemmProblem any = problem;
    any.alpha = alpha;
    return needs_of(as_product(any), kernel, device.limits)
        .total(device.context.device().info.base_alignment_bytes);
  };
  return std::max(bytes(0), bytes(1));
}

bool QueuedProducts::has_room(const GemmProblem& problem, const KernelParams& kernel) const {
  const std::size_t bytes = workspace_bytes(problem, kernel);
  const std::lock_guard guard(state_->device.mutex);
  if (state_->workspace) return bytes <= state_->workspace->memory().bytes();
  // The program's own matrices are there too, and it may need what is left.
  const std::size_t whole = state_->device.limits.memory_bytes;
  return whole == 0 || bytes <= whole / 4;
}

cl::CallerBuffer::Fault QueuedProducts::set_workspace(void* buffer, std::size_t offset,
                                                      std::size_t bytes) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  std::optional<Workspace> workspace;
  if (buffer != nullptr) {
    cl::CallerBuffer memory(buffer, offset, bytes, device.context);
    if (!memory.fault().reason.empty()) return memory.fault();
    workspace.emplace(std::move(memory));
  }
  state_->let_go_of_scratch();
  state_->workspace = std::move(workspace);
  return {};
}

void QueuedProducts::enqueue(const QueuedProduct& product, std::span<void* const> after,
                             void** done) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  const NobodyAsks forgotten{state_->scratch.earlier};
  state_->scratch.asked_for = done != nullptr;
  state_->scratch.splits_last_tiles = true;
  const GemmProblem problem = as_product(product.problem);
  if (state_->workspace && !problem.empty())
    state_->serve(needs_of(problem, product.kernel, device.limits));
  state_->in_turn(problem.empty(), after, done, [&] {
    const std::size_t element = element_size(problem.precision);
    ProductOperands operands;
    if (problem.only_scales_c()) {
      operands = zero_factors(*state_, problem);
    } else {
      const AdoptedOperand a = bind(product.a, device.context, element);
      const AdoptedOperand b = bind(product.b, device.context, element);
      operands.a = a.operand;
      operands.b = b.operand;
      operands.aligned_a = a.aligned;
      operands.aligned_b = b.aligned;
    }
    operands.c = bind(product.c, device.context, element).operand;
    try {
      return submit(*state_, problem, product.kernel, operands);
    } catch (const cl::DeviceHung&) {
      throw;
    } catch (const DeviceError& error) {
      if (!state_->scratch.writes_c) throw;
      throw WrittenInPart(error.what(), error.code());
    }
  });
}

void QueuedProducts::enqueue(QueuedBatch batch, std::span<void* const> after, void** done) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  const NobodyAsks forgotten{state_->scratch.earlier};
  const GemmProblem shape = as_product(batch.shape);
  state_->in_turn(shape.empty() || batch.count == 0, after, done, [&] {
    const std::size_t element = element_size(shape.precision);
    BatchedOperands operands;
    operands.c.first = bind(batch.c, device.context, element).operand;
    operands.c.stride = batch.stride_c;
    if (shape.only_scales_c()) {
      const ProductOperands zeros = zero_factors(*state_, shape);
      operands.a.first = zeros.a;
      operands.b.first = zeros.b;
      for (std::size_t i = 0; i < batch.places.size(); ++i)
        if (i % 3 != 2) batch.places[i] = 0;
    } else {
      const auto bound = [&](const BufferPlace& place, std::int64_t stride, std::size_t number) {
        const AdoptedOperand adopted = bind(place, device.context, element);
        constexpr std::size_t unit = 16;
        bool aligned = adopted.aligned && static_cast<std::size_t>(stride) * element % unit == 0;
        for (std::size_t i = number; i < batch.places.size(); i += 3)
          aligned = aligned && batch.places[i] * element % unit == 0;
        return BatchedOperand{adopted.operand, stride, aligned};
      };
      operands.a = bound(batch.a, batch.stride_a, 0);
      operands.b = bound(batch.b, batch.stride_b, 1);
    }
    if (!batch.places.empty())
      operands.places = std::make_shared<cl::Buffer>(device.context.allocate_copy(
          batch.places.data(), batch.places.size() * sizeof batch.places.front()));
    return submit_batched(device, shape, batch.count, batch.kernel, operands, state_->scratch);
  });
}

}  // namespace duoblas
