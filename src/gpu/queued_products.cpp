#include "gpu/queued_products.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "gpu/workspace.hpp"
#include "opencl/callers_objects.hpp"

namespace duoblas {
namespace {

struct AdoptedOperand {
  BoundOperand operand;
  bool aligned = false;
};

// The program waits, with an event of the last kernel's: nobody here asks for earlier ones.
struct NobodyAsks {
  EarlierKernels& earlier;
  ~NobodyAsks() { earlier.clear(); }
};

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

// C = beta C is a product of zeros: what is not to be read may hold anything.
GemmProblem as_product(GemmProblem problem) {
  if (!problem.only_scales_c()) return problem;
  problem.k = 1;
  problem.alpha = 0;
  problem.op_a = problem.op_b = Op::none;
  return problem;
}

std::size_t bytes_of_zeros(const GemmProblem& product) {
  return static_cast<std::size_t>(std::max(product.m, product.n)) * element_size(product.precision);
}

WorkspaceBytes needs_of(const GemmProblem& product, const KernelParams& kernel,
                        const DeviceLimits& limits) {
  WorkspaceBytes needs = workspace_bytes(product, kernel, limits);
  if (product.only_scales_c()) needs.zeros = bytes_of_zeros(product);
  return needs;
}

}  // namespace

struct QueuedProducts::State {
  State(void* queue, const GpuFolders& folders, const GpuBounds& bounds,
        const Verification& verification)
      : device(cl::adopt_queue(queue), folders, bounds, verification) {}

  // Before anything is enqueued.
  void serve(const GemmProblem& product, const KernelParams& kernel) {
    const WorkspaceBytes needs = needs_of(product, kernel, device.limits);
    const cl::LentMemory& memory = workspace->memory();
    const std::size_t bytes = needs.total(memory.alignment());
    if (bytes > memory.bytes()) {
      throw SettingError("the workspace has " + std::to_string(memory.bytes()) +
                         " bytes, and this product takes " + std::to_string(bytes) +
                         ": set a larger one, or none");
    }
    workspace->serve(needs, device.scratch, zeros);
    device.last_ticket = 0;  // others may have written to the flag
  }

  void let_go_of_scratch() {
    scratch.release();
    for (ScratchBuffer* kept : {&device.scratch.packed_a, &device.scratch.packed_b,
                                &device.scratch.partial, &device.scratch.flag, &zeros})
      kept->release();
    device.last_ticket = 0;
  }

  OpenedDevice device;
  ProductScratch scratch;
  ScratchBuffer zeros;
  std::optional<Workspace> workspace;
};

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
  KernelVerifier* const verifier = state_->device.verifier.get();
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
  // Before they are multiplied, which may be beyond 64 bits.
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

cl::LentMemory::Fault QueuedProducts::set_workspace(void* buffer, std::size_t offset,
                                                    std::size_t bytes) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  std::optional<Workspace> workspace;
  if (buffer != nullptr) {
    cl::LentMemory memory(buffer, offset, bytes, device.context);
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
  const GemmProblem problem = as_product(product.problem);
  if (state_->workspace && !problem.empty()) state_->serve(problem, product.kernel);
  for (void* event : after) cl::start_after(device.queue, event);
  cl::Event event;
  if (problem.empty()) {
    event = device.queue.mark();
    device.queue.flush();
  } else {
    const std::size_t element = element_size(problem.precision);
    ProductOperands operands;
    operands.c = bind(product.c, device.context, element).operand;
    if (problem.only_scales_c()) {
      const std::size_t bytes = bytes_of_zeros(problem);
      operands.a.buffer = operands.b.buffer = state_->zeros.at_least(device.context, bytes);
      device.queue.fill_with_zeros(*operands.a.buffer, bytes);
      operands.a.pitch_bytes = element;
      operands.b.pitch_bytes = static_cast<std::size_t>(problem.n) * element;
    } else {
      const AdoptedOperand a = bind(product.a, device.context, element);
      const AdoptedOperand b = bind(product.b, device.context, element);
      operands.a = a.operand;
      operands.b = b.operand;
      operands.aligned_a = a.aligned;
      operands.aligned_b = b.aligned;
    }
    event = submit_product(device, problem, product.kernel, operands, state_->scratch);
  }
  if (done != nullptr) *done = event.give_up();
}

}  // namespace duoblas
