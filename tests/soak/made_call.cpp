#include "soak/made_call.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <duoblas/registration.hpp>

#include "problem/element_types.hpp"
#include "soak/draw.hpp"
#include "soak/lapack_call.hpp"
#include "soak/reference.hpp"
#include "soak/routine_call.hpp"

namespace duoblas::soak {
namespace {

// Bits of the operands' mantissas. With these, sums of products are exact in double, and so is the
// reference. Floats use all of their bits, doubles as many as fit into one product.
struct Grids {
  int a, b, c;
};
Grids grids_of(const SoakCall& call, Draw& draw) {
  if (!is_double(call.precision)) return {24, 24, 24};
  if (call.b_is_a || (call.routine && !call.has_own_b() && !call.in_place())) return {25, 25, 53};
  const bool a_is_wide = draw.one_in(2);
  const Grids grids{a_is_wide ? 26 : 16, a_is_wide ? 16 : 26, 53};
  return call.in_place() ? Grids{grids.a, 0, grids.b} : grids;
}

template <typename T>
class TypedCall final : public MadeCall {
  using R = Real<T>;

 public:
  TypedCall(const SoakCall& call, CallMemory& memory)
      : call_(call),
        draw_(call.seed ^ 0x5eedu, call.number),
        operands_(memory.place(call)),
        a_(typed(0)),
        b_(typed(1)),
        c_(typed(2)) {
    const Grids grids = grids_of(call, draw_);
    if (call.reads_operands()) {
      fill(0, a_, grids.a);
      if (call.has_own_b() && !call.b_is_a) fill(1, b_, grids.b);
      if (call.routine) shape_a();
    }
    if (call.reads_c()) fill(2, c_, grids.c);
    plant();
    for (const auto region : operands_.memory) before_.emplace_back(region.begin(), region.end());
    stored_ = {stored(0), stored(1), stored(2)};
    if (!solves()) reference_ = reference_of(call, stored_);
  }

  void run(Context& context) override {
    std::vector<Registration> registrations;
    if (call_.home == Home::registered)
      for (const auto region : operands_.memory)
        registrations.emplace_back(region.data(), region.size());
    const ReadOnly read_only(operands_.only_read);
    run_routine<T>(context, call_, {a_.first, a_.ld}, {b_.first, b_.ld}, {c_.first, c_.ld});
  }

  CallerLevel3 level3() const override {
    CallerLevel3 caller{call_.layout, call_.shape()};
    caller.args.a = a_.first;
    caller.args.lda = a_.ld;
    caller.args.b = b_.first;
    caller.args.ldb = b_.ld;
    caller.args.c = c_.first;
    caller.args.ldc = c_.ld;
    return caller;
  }

  Verdict verdict() override {
    Verdict verdict;
    const bool stays = !call_.reads_operands() && call_.beta == 1.0 && !call_.in_place();
    const Planes result = stored(2);
    if (!stays) verdict = compare(result);
    if (verdict.wrong.empty() && !stays && has_real_diagonal())
      for (std::int64_t i = 0; i < result.rows; ++i)
        if (result.value(i, i).imag() != 0)
          verdict.wrong = "the diagonal is not real at " + std::to_string(i);
    if (verdict.wrong.empty()) verdict.wrong = what_else_changed(stays);
    return verdict;
  }

 private:
  struct TypedPlace {
    T* first;
    std::int64_t lines, length, ld;
  };
  struct ReadOnly {
    explicit ReadOnly(const std::vector<MemoryBlock*>& b) : blocks(b) {
      for (MemoryBlock* block : blocks) block->forbid_writing(true);
    }
    ~ReadOnly() {
      for (MemoryBlock* block : blocks) block->forbid_writing(false);
    }
    const std::vector<MemoryBlock*>& blocks;
  };

  TypedPlace typed(std::size_t operand) const {
    const Place& p = operands_.place[operand];
    return {reinterpret_cast<T*>(p.first), p.lines, p.length, p.ld};
  }
  bool solves() const { return call_.routine == Routine::trsm && call_.reads_operands(); }
  bool has_real_diagonal() const {
    return call_.routine && is_hermitian(*call_.routine) && updates_triangle(*call_.routine);
  }
  // The row and column of an element of the memory in the matrix.
  std::pair<std::int64_t, std::int64_t> element(std::int64_t line, std::int64_t i) const {
    return call_.layout == Layout::row_major ? std::pair(line, i) : std::pair(i, line);
  }
  bool is_stored(int operand, std::int64_t line, std::int64_t i) const {
    const auto [row, column] = element(line, i);
    if (operand == 2) return in_result(call_, row, column);
    const bool triangle = operand == 0 && call_.routine && !updates_triangle(*call_.routine);
    if (!triangle) return true;
    return call_.uplo == Uplo::upper ? column >= row : column <= row;
  }

  T random(int bits) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(draw_.on_grid(bits));
    else {
      const double re = draw_.on_grid(bits);
      return T(static_cast<R>(re), static_cast<R>(draw_.on_grid(bits)));
    }
  }
  void fill(int operand, const TypedPlace& x, int bits) {
    for (std::int64_t line = 0; line < x.lines; ++line)
      for (std::int64_t i = 0; i < x.length; ++i)
        if (is_stored(operand, line, i)) x.first[line * x.ld + i] = random(bits);
  }

  // Sets diagonals that must not be read to NaN, and scales triangular matrices so that solving
  // does not overflow.
  void shape_a() {
    const bool in_place = call_.in_place();
    const bool hermitian = call_.routine == Routine::hemm;
    if (!in_place && !hermitian) return;
    const R nan = std::numeric_limits<R>::quiet_NaN();
    const auto damping =
        static_cast<R>(1.0 / static_cast<double>(std::max<std::int64_t>(1, a_.lines)));
    for (std::int64_t line = 0; line < a_.lines; ++line)
      for (std::int64_t i = 0; i < a_.length; ++i) {
        T& x = a_.first[line * a_.ld + i];
        if (call_.routine == Routine::trsm && is_stored(0, line, i))
          x = line == i ? x * R(0.5) + T(2) : x * damping;
        if (line == i && in_place && call_.diag == Diag::unit) x = T(nan);
        if constexpr (!std::is_floating_point_v<T>)
          if (line == i && hermitian) x = T(x.real(), nan);
      }
  }

  void plant() {
    if (call_.plant == Plant::nothing) return;
    const int operand = static_cast<int>(call_.plant) - static_cast<int>(Plant::in_a);
    const bool is_read = operand == 2 ? call_.reads_c() : call_.reads_operands();
    const TypedPlace& x = operand == 0 ? a_ : operand == 1 ? b_ : c_;
    if (!is_read || x.lines == 0 || x.length == 0 || (operand == 1 && !call_.has_own_b())) return;
    std::int64_t line = draw_.below(x.lines), i = draw_.below(x.length);
    if (!is_stored(operand, line, i)) std::swap(line, i);
    const R special = call_.plants_infinity ? std::numeric_limits<R>::infinity()
                                            : std::numeric_limits<R>::quiet_NaN();
    x.first[line * x.ld + i] = T(draw_.one_in(2) ? special : -special);
  }

  Planes stored(int operand) const {
    const StoredShape s = call_.stored(operand);
    const TypedPlace& x = operand == 0 ? a_ : operand == 1 ? b_ : c_;
    return read_matrix(x.first, x.ld, call_.layout, s.rows, s.cols, call_.is_complex());
  }

  Verdict compare(const Planes& result) {
    if (!solves()) return compare(result, reference_);
    const Residual residual = residual_of(call_, stored_, result);
    return compare(residual.computed, residual.reference);
  }
  Verdict compare(const Planes& result, const Reference& reference) const {
    Verdict verdict;
    for (std::int64_t i = 0; i < result.rows; ++i)
      for (std::int64_t j = 0; j < result.cols; ++j) {
        if (!in_result(call_, i, j)) continue;
        const auto value = result.value(i, j), expected = reference.expected.value(i, j);
        const double bound = reference.bound[result.at(i, j)];
        const double difference = std::abs(value - expected);
        if (std::isfinite(bound) ? difference <= bound : !std::isfinite(std::abs(value))) {
          if (difference > 0 && std::isfinite(bound))
            verdict.error = std::max(verdict.error, difference / bound);
          continue;
        }
        if (verdict.wrong.empty()) verdict.wrong = told(i, j, value, expected, bound);
        ++wrong_elements_;
      }
    if (!verdict.wrong.empty())
      verdict.wrong += " (" + std::to_string(wrong_elements_) + " of " +
                       std::to_string(result.rows * result.cols) + " elements)";
    return verdict;
  }
  static std::string told(std::int64_t i, std::int64_t j, std::complex<double> value,
                          std::complex<double> expected, double bound) {
    const auto number = [](std::complex<double> x) {
      return "(" + std::to_string(x.real()) + ", " + std::to_string(x.imag()) + ")";
    };
    return "at " + std::to_string(i) + ", " + std::to_string(j) + " it is " + number(value) +
           " and not " + number(expected) + ", bound " + std::to_string(bound);
  }

  // Checks all memory outside of the result, and the result too if the call must change nothing.
  std::string what_else_changed(bool nothing_may) {
    for (std::size_t r = 0; r < before_.size(); ++r) {
      const auto now = operands_.memory[r];
      if (!nothing_may) forget_result(now, before_[r]);
      if (std::memcmp(now.data(), before_[r].data(), now.size()) == 0) continue;
      std::size_t at = 0;
      while (now[at] == before_[r][at]) ++at;
      const auto from_c = (now.data() + at) - reinterpret_cast<std::byte*>(c_.first);
      return std::string(nothing_may ? "C was changed" : "memory beside the result was changed") +
             ", " + std::to_string(from_c) + " bytes from C's first";
    }
    return {};
  }
  // Elements of the result become what they are now.
  void forget_result(std::span<const std::byte> now, std::vector<std::byte>& before) const {
    const auto* const c = reinterpret_cast<const std::byte*>(c_.first);
    if (c_.lines == 0 || c_.length == 0 || c < now.data() || c >= now.data() + now.size()) return;
    for (std::int64_t line = 0; line < c_.lines; ++line) {
      std::int64_t first = 0, end = c_.length;
      while (first < end && !is_stored(2, line, first)) ++first;
      while (end > first && !is_stored(2, line, end - 1)) --end;
      const auto at = static_cast<std::size_t>(
          reinterpret_cast<const std::byte*>(c_.first + line * c_.ld + first) - now.data());
      std::memcpy(before.data() + at, now.data() + at,
                  static_cast<std::size_t>(end - first) * sizeof(T));
    }
  }

  SoakCall call_;
  Draw draw_;
  PlacedOperands operands_;
  TypedPlace a_, b_, c_;
  std::vector<std::vector<std::byte>> before_;
  std::array<Planes, 3> stored_{Planes(0, 0, false), Planes(0, 0, false), Planes(0, 0, false)};
  Reference reference_{Planes(0, 0, false), {}};
  mutable std::int64_t wrong_elements_ = 0;
};

}  // namespace

std::unique_ptr<MadeCall> make(const SoakCall& call, CallMemory& memory) {
  if (call.lapack) return make_lapack(call);
  return with_element_type(call.precision, [&](auto zero) -> std::unique_ptr<MadeCall> {
    return std::make_unique<TypedCall<decltype(zero)>>(call, memory);
  });
}

}  // namespace duoblas::soak
