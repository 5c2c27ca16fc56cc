// DeviceBlas: arguments are checked and made row-major; the rest is gpu/device's.
#include <duoblas/opencl.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "api/device_blas_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "engine/gpu_opening.hpp"
#include "engine/logger.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/cancellation_disabled.hpp"
#include "os/fork_state.hpp"
#include "planner/point_timings.hpp"
#include "profile/profile_match.hpp"

namespace duoblas {
namespace {

// Only the profile's kernels are used. The CPU takes no part here.
PlanMachine machine_of(const QueuedProducts& products, const std::string& profile_dir) {
  const cl::DeviceInfo& info = products.info();
  PlanMachine machine;
  machine.has_gpu = true;
  machine.device = products.limits();
  MachineIdentity identity;
  identity.key.device = info.name;
  identity.key.driver = info.platform + " " + info.driver_version;
  identity.origin = profile_origin(
      {info.name, info.vendor, info.is_cpu, info.native_vector_bytes, info.nvidia_capability});
  auto candidates = profile_candidates(profile_dir);
  if (const auto best = best_match(candidates, identity)) {
    machine.match = match(candidates[*best], identity);
    machine.use(std::move(candidates[*best]));
  }
  return machine;
}

BufferPlace place_of(const void* matrix) {
  const auto& given = *static_cast<const DeviceMatrix*>(matrix);
  return {given.buffer, given.offset, given.ld};
}

bool starts_rows_aligned(const BufferPlace& place, Precision precision) {
  constexpr std::int64_t unit = 16;
  const auto element = static_cast<std::int64_t>(element_size(precision));
  return place.offset % unit * element % unit == 0 && place.ld % unit * element % unit == 0;
}

// A program's workspace may be as large as workspace_bytes() says, which knows nothing of where
// rows start, or of its largest product, which may take less than a smaller one whose last tiles
// are split. So large products with odd rows are packed only where there is room, and last tiles
// split; all else takes the same memory beside the operands.
KernelParams kernel_for(const GemmProblem& problem, const QueuedProducts& products,
                        const PlanMachine& machine, MathMode math) {
  const KernelParams kernel = gpu_kernel(problem, machine, math);
  if (problem.empty() || problem.only_scales_c()) return kernel;
  const bool aligned = starts_rows_aligned(place_of(problem.a), problem.precision) &&
                       starts_rows_aligned(place_of(problem.b), problem.precision);
  return kernel_for_rows(kernel, problem, aligned, machine.device, [&](const KernelParams& other) {
    return products.has_room(problem, other);
  });
}

}  // namespace

void check_place(const QueuedProducts& products, Precision precision, const NamedPlace& place) {
  if (place.at.offset < 0) throw ArgumentError(place.position, place.name, "has a negative offset");
  switch (products.check(place.at, precision, place.rows, place.columns)) {
    case Misfit::none: return;
    case Misfit::other_context:
      throw ArgumentError(place.position, place.name,
                          "is in a buffer of another context than the queue's");
    case Misfit::too_short:
      throw ArgumentError(place.position, place.name, "reaches beyond the end of its buffer");
    case Misfit::in_workspace:
      throw ArgumentError(place.position, place.name, "has memory in common with the workspace");
  }
}

void refuse_in_child() {
  if (fork_generation() != 0)
    throw DeviceError("OpenCL does not survive a fork: this process is a forked child");
}

DeviceBlas::State::State(_cl_command_queue* queue, const Settings& settings)
    : products(queue, {settings.cache_dir, settings.kernel_dir}, gpu_bounds(settings),
               verification(settings)),
      machine(machine_of(products, settings.profile_dir)),
      math(settings.math),
      born_in(fork_generation()) {
  // Calls do not wait for the device, so they learn nothing from its times.
  if (!machine.profile || machine.match < ProfileMatch::device) return;
  for (const Precision precision : all_precisions)
    products.expect_rate(precision, tuned_gpu_rate(*machine.profile, precision));
  prefer_tuned(products.gemv_kernels(), machine.profile->gemv);
}

bool DeviceBlas::State::takes_another(KernelParams& kernel, Precision precision) {
  for (const WrongKernel& wrong : products.take_wrong())
    if (wrong.is_news) Logger::wrong_result((wrong.text + ". It is not used").c_str());
  // An opt-in arithmetic has two kernels, one of which may have written to C.
  const KernelParams other = products.launchable(kernel, precision);
  if (other == kernel || kernel.matrix == MatrixUnit::tf32x3) return false;
  kernel = other;
  return true;
}

DeviceBlas::DeviceBlas(_cl_command_queue* queue, const Settings& settings) {
  if (queue == nullptr) throw DeviceError("the queue is a null pointer");
  const CancellationDisabled whole_call;
  refuse_in_child();
  if (cl::driver_hangs())
    throw DeviceError("a device of this process hangs, and no driver is asked any more");
  watch_forks();
  const ForkGuard no_fork;  // compilers of drivers do not survive one
  state_ = std::make_unique<State>(queue, settings);
}

// What OpenCL holds must not be released in a forked child.
DeviceBlas::~DeviceBlas() {
  const CancellationDisabled whole_call;
  if (state_ && fork_generation() != state_->born_in) (void)state_.release();
  state_.reset();
}

DeviceBlas::DeviceBlas(DeviceBlas&&) noexcept = default;

DeviceBlas& DeviceBlas::operator=(DeviceBlas&& other) noexcept {
  const DeviceBlas replaced(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

template <typename T>
void DeviceBlas::gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                      std::int64_t k, Scalar<T> alpha, const DeviceMatrix& a, const DeviceMatrix& b,
                      Scalar<T> beta, const DeviceMatrix& c, const DeviceEvents& events) {
  const CancellationDisabled whole_call;
  // The DeviceMatrix stands in for each pointer to elements; it says where they are.
  const auto given = [](const DeviceMatrix& matrix) {
    return matrix.buffer != nullptr ? reinterpret_cast<const T*>(&matrix) : nullptr;
  };
  const CallerGemm call = caller_gemm<T>(layout, op_a, op_b, {m, n, k}, alpha, {given(a), a.ld},
                                         {given(b), b.ld}, beta, {const_cast<T*>(given(c)), c.ld});
  check(call);
  const GemmProblem problem = to_row_major(call);
  refuse_in_child();
  if (!problem.empty()) {
    const Precision precision = precision_of<T>;
    check_place(state_->products, precision, {place_of(&c), 13, "c", problem.m, problem.n});
    if (!problem.only_scales_c()) {
      const bool swapped = layout == Layout::column_major;
      check_place(state_->products, precision,
                  {place_of(swapped ? &b : &a), swapped ? 10 : 8, swapped ? "b" : "a",
                   stored_rows_a(problem), stored_cols_a(problem)});
      check_place(state_->products, precision,
                  {place_of(swapped ? &a : &b), swapped ? 8 : 10, swapped ? "a" : "b",
                   stored_rows_b(problem), stored_cols_b(problem)});
    }
  }
  const KernelParams wanted = kernel_for(problem, state_->products, state_->machine, state_->math);
  QueuedProduct product{problem, wanted, {}, {}, {}};
  if (problem.a != nullptr) product.a = place_of(problem.a);
  if (problem.b != nullptr) product.b = place_of(problem.b);
  if (problem.c != nullptr) product.c = place_of(problem.c);
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  enqueue_with(wanted, *state_, problem.precision, events,
               [&](const KernelParams& kernel, std::span<void* const> after, void** done) {
                 product.kernel = kernel;
                 state_->products.enqueue(product, after, done);
               });
}

template <typename T>
std::int64_t DeviceBlas::workspace_bytes(Layout layout, Op op_a, Op op_b, std::int64_t m,
                                         std::int64_t n, std::int64_t k) const {
  const CancellationDisabled whole_call;
  // Only the sizes are checked; pointers and leading dimensions are made up and legal.
  const auto any_ld = std::max({m, n, k, std::int64_t{1}});
  T anything{};
  const CallerGemm call = caller_gemm<T>(layout, op_a, op_b, {m, n, k}, T(1), {&anything, any_ld},
                                         {&anything, any_ld}, T(0), {&anything, any_ld});
  check(call);
  refuse_in_child();
  const GemmProblem problem = to_row_major(call);
  const KernelParams wanted = gpu_kernel(problem, state_->machine, state_->math);
  const KernelParams kernel = state_->products.launchable(wanted, problem.precision);
  return static_cast<std::int64_t>(state_->products.workspace_bytes(problem, kernel));
}

void DeviceBlas::set_workspace(const DeviceWorkspace& workspace) {
  const CancellationDisabled whole_call;
  if (workspace.offset < 0) throw ArgumentError(3, "offset", "is negative");
  if (workspace.bytes < 0) throw ArgumentError(4, "bytes", "is negative");
  refuse_in_child();
  const cl::CallerBuffer::Fault fault =
      state_->products.set_workspace(workspace.buffer, static_cast<std::size_t>(workspace.offset),
                                     static_cast<std::size_t>(workspace.bytes));
  if (fault.reason.empty()) return;
  switch (fault.argument) {
    case cl::CallerBuffer::Argument::buffer: throw ArgumentError(2, "buffer", fault.reason);
    case cl::CallerBuffer::Argument::offset: throw ArgumentError(3, "offset", fault.reason);
    case cl::CallerBuffer::Argument::bytes: throw ArgumentError(4, "bytes", fault.reason);
  }
}

#define DUOBLAS_WORKSPACE_BYTES_OF(T) \
  template Size DeviceBlas::workspace_bytes<T>(Layout, Op, Op, Size, Size, Size) const
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_WORKSPACE_BYTES_OF);
#undef DUOBLAS_WORKSPACE_BYTES_OF

#define DUOBLAS_DEVICE_GEMM_OF(T)                                                        \
  template void DeviceBlas::gemm<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>,         \
                                    const DeviceMatrix&, const DeviceMatrix&, Scalar<T>, \
                                    const DeviceMatrix&, const DeviceEvents&)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_DEVICE_GEMM_OF);
#undef DUOBLAS_DEVICE_GEMM_OF

}  // namespace duoblas
