#include "gpu/queued_products.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "gpu/batched_product.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
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

}  // namespace

struct QueuedProducts::State {
  State(void* queue, const GpuFolders& folders, const GpuBounds& bounds,
        const Verification& verification)
      : device(cl::adopt_queue(queue), folders, bounds, verification) {}

  OpenedDevice device;
  ProductScratch scratch;
  ScratchBuffer zeros;
};

// A product of zeros: what is not to be read may hold anything.
ProductOperands QueuedProducts::zero_factors(State& state, GemmProblem& problem) {
  OpenedDevice& device = state.device;
  const std::size_t element = element_size(problem.precision);
  const auto bytes = static_cast<std::size_t>(std::max(problem.m, problem.n)) * element;
  ProductOperands operands;
  operands.a.buffer = operands.b.buffer = state.zeros.at_least(device.context, bytes);
  device.queue.fill_with_zeros(*operands.a.buffer, bytes);
  problem.k = 1;
  problem.alpha = 0;
  problem.op_a = Op::none;
  problem.op_b = Op::none;
  operands.a.pitch_bytes = element;
  operands.b.pitch_bytes = static_cast<std::size_t>(problem.n) * element;
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
  return fits ? Misfit::none : Misfit::too_short;
}

void QueuedProducts::enqueue(const QueuedProduct& product, std::span<void* const> after,
                             void** done) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  const NobodyAsks forgotten{state_->scratch.earlier};
  for (void* event : after) cl::start_after(device.queue, event);
  GemmProblem problem = product.problem;
  cl::Event event;
  if (problem.empty()) {
    event = device.queue.mark();
    device.queue.flush();
  } else {
    const std::size_t element = element_size(problem.precision);
    ProductOperands operands;
    operands.c = bind(product.c, device.context, element).operand;
    if (problem.only_scales_c()) {
      const BoundOperand c = std::move(operands.c);
      operands = zero_factors(*state_, problem);
      operands.c = c;
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

void QueuedProducts::enqueue(QueuedBatch batch, std::span<void* const> after, void** done) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  const NobodyAsks forgotten{state_->scratch.earlier};
  for (void* event : after) cl::start_after(device.queue, event);
  GemmProblem& shape = batch.shape;
  cl::Event event;
  if (shape.empty() || batch.count == 0) {
    event = device.queue.mark();
    device.queue.flush();
    if (done != nullptr) *done = event.give_up();
    return;
  }
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
  event = submit_batched(device, shape, batch.count, batch.kernel, operands, state_->scratch);
  if (done != nullptr) *done = event.give_up();
}

}  // namespace duoblas
