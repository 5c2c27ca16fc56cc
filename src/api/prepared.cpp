#include <duoblas/prepared.hpp>

#include <string>
#include <utility>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "os/cancellation_disabled.hpp"
#include "os/fork_state.hpp"
#include "problem/host_rect.hpp"
#include "problem/named_arguments.hpp"

namespace duoblas {

struct PreparedState {
  Layout layout = Layout::row_major;
  std::int64_t rows = 0, columns = 0;
  const void* data = nullptr;
  std::int64_t ld = 0;
  std::shared_ptr<const ResidentMatrix> resident;
  unsigned born_in = fork_generation();

  bool is_parents() const { return fork_generation() != born_in; }
  // What OpenCL holds must not be released in a forked child.
  ~PreparedState() {
    const CancellationDisabled until_released;
    if (resident && is_parents()) (void)new auto(std::move(resident));
    resident.reset();
  }
};

namespace {

void check_matrix(const PreparedState& m) {
  constexpr NamedArguments check("layout rows columns data ld");
  check.layout(m.layout);
  check.size(m.rows, "rows");
  check.size(m.columns, "columns");
  check.memory(m.data, m.rows > 0 && m.columns > 0, "data");
  check.at_least(m.layout == Layout::row_major ? m.columns : m.rows, m.ld, "ld");
}

// The matrix as lines of memory, as if it were row-major.
HostRect lines_of(const PreparedState& m, Precision precision) {
  const bool row_major = m.layout == Layout::row_major;
  return rect_of(m.data, row_major ? m.rows : m.columns, row_major ? m.columns : m.rows, m.ld,
                 precision);
}

// The rows and columns of a stored operand that the product uses.
struct Extent {
  std::int64_t rows, columns;
};

void check_operand(const PreparedState& m, Layout layout, const Extent& needed, int position,
                   const char* name) {
  if (m.layout != layout)
    throw ArgumentError(position, name, "was prepared in the other storage order");
  if (m.rows < needed.rows || m.columns < needed.columns)
    throw ArgumentError(position, name,
                        "was prepared as " + std::to_string(m.rows) + " x " +
                            std::to_string(m.columns) + ", and the product takes " +
                            std::to_string(needed.rows) + " x " + std::to_string(needed.columns));
}

}  // namespace

template <typename T>
Prepared<T>::Prepared(std::shared_ptr<const PreparedState> state) noexcept
    : state_(std::move(state)) {}

template <typename T>
bool Prepared<T>::on_device() const noexcept {
  return state_ && state_->resident != nullptr && !state_->is_parents();
}

template <typename T>
Prepared<T> Context::prepare(Layout layout, std::int64_t rows, std::int64_t columns, const T* data,
                             std::int64_t ld) {
  const CancellationDisabled whole_call;
  auto state = std::make_shared<PreparedState>();
  state->layout = layout;
  state->rows = rows;
  state->columns = columns;
  state->data = data;
  state->ld = ld;
  check_matrix(*state);
  state->resident =
      state_->engine.jobs().make_resident(lines_of(*state, precision_of<T>), precision_of<T>);
  return Prepared<T>(std::move(state));
}

namespace {

const PreparedState* state_of(const std::shared_ptr<const PreparedState>* prepared, int position,
                              const char* name) {
  if (prepared == nullptr) return nullptr;
  if (!*prepared) throw ArgumentError(position, name, "is an empty Prepared");
  return prepared->get();
}

}  // namespace

template <typename T>
void Context::gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                   Scalar<T> alpha, OperandOf<T> a, OperandOf<T> b, Scalar<T> beta, T* c,
                   std::int64_t ldc) {
  const CancellationDisabled whole_call;
  const auto prepared = [](const Operand<T>& operand) {
    return operand.prepared_ == nullptr ? nullptr : &operand.prepared_->state_;
  };
  const PreparedState* const of_a = state_of(prepared(a), 8, "a");
  const PreparedState* const of_b = state_of(prepared(b), 10, "b");
  const auto memory = [](const Operand<T>& operand, const PreparedState* state) {
    return state == nullptr ? Strided<const T>{operand.data_, operand.ld_}
                            : Strided<const T>{static_cast<const T*>(state->data), state->ld};
  };
  const CallerGemm call = caller_gemm<T>(layout, op_a, op_b, {m, n, k}, alpha, memory(a, of_a),
                                         memory(b, of_b), beta, {c, ldc});
  const GemmProblem& args = call.args;
  if (of_a != nullptr)
    check_operand(*of_a, layout, {stored_rows_a(args), stored_cols_a(args)}, 8, "a");
  if (of_b != nullptr)
    check_operand(*of_b, layout, {stored_rows_b(args), stored_cols_b(args)}, 10, "b");
  check(call);
  ResidentOperands resident{of_a ? of_a->resident.get() : nullptr,
                            of_b ? of_b->resident.get() : nullptr};
  if (layout == Layout::column_major) std::swap(resident.a, resident.b);
  remember_call(state_->engine.run(to_row_major(call), resident));
}

template <typename T>
void Context::gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                   OperandOf<T> a, const T* x, std::int64_t incx, Scalar<T> beta, T* y,
                   std::int64_t incy) {
  const CancellationDisabled whole_call;
  const PreparedState* const of_a =
      state_of(a.prepared_ == nullptr ? nullptr : &a.prepared_->state_, 6, "a");
  const T* const data = of_a == nullptr ? a.data_ : static_cast<const T*>(of_a->data);
  const CallerGemv call =
      caller_gemv<T>(layout, op, {m, n}, alpha, data, of_a == nullptr ? a.ld_ : of_a->ld, {x, incx},
                     beta, {y, incy});
  if (of_a != nullptr) check_operand(*of_a, layout, {m, n}, 6, "a");
  check(call);
  remember_call(
      state_->engine.run(to_row_major(call), of_a != nullptr ? of_a->resident.get() : nullptr));
}

#define DUOBLAS_PREPARED_OF(T)                                                                    \
  template class Prepared<T>;                                                                     \
  template Prepared<T> Context::prepare<T>(Layout, Size, Size, const T*, Size);                   \
  template void Context::gemm<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>, OperandOf<T>,       \
                                 OperandOf<T>, Scalar<T>, T*, Size);                              \
  template void Context::gemv<T>(Layout, Op, Size, Size, Scalar<T>, OperandOf<T>, const T*, Size, \
                                 Scalar<T>, T*, Size)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_PREPARED_OF);
#undef DUOBLAS_PREPARED_OF

}  // namespace duoblas
