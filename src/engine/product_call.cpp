#include "engine/product_call.hpp"

#include <exception>
#include <span>

#include "problem/precision.hpp"

namespace duoblas {

ProductCall::ProductCall(const GemmProblem& problem, Outcome& told,
                         const ResidentOperands& resident)
    : Call(told),
      problem_(problem),
      resident_(resident),
      parts_(plan.uses_gpu() ? partition(problem_, plan.axis, plan.gpu_extent)
                             : PartitionedProblem{}),
      launches_(problem_, plan) {}

ProductCall::ProductCall(const PartitionedProblem& parts, Outcome& told, OldResult* old_result,
                         bool behind_another)
    : Call(told),
      problem_(parts.gpu),
      parts_(parts),
      launches_(problem_, plan),
      old_result_(old_result),
      behind_another_(behind_another) {}

std::optional<JobKind> ProductCall::kind_of_numbers() const {
  if (!is_by_integers(plan.kernel)) return std::nullopt;
  return JobKind(parts_.gpu);
}

void ProductCall::start(GpuSide& gpu) {
  // If C is partitioned by columns, the rows of this part alternate with the CPU's in memory.
  const bool alternates = plan.axis == Axis::columns && plan.sharing == SharingMode::host_pointer;
  const SharingMode of_c = alternates ? SharingMode::staged : plan.sharing;
  if (check_ && !parts_.gpu.overwrites_c())
    arriving_.emplace(static_cast<ProductCheck&>(*check_), parts_.gpu);
  job_ = gpu.submit(parts_.gpu, plan.kernel,
                    {plan.sharing, of_c, resident_, &parts_.cpu, arriving_ ? &*arriving_ : nullptr,
                     behind_another_, old_result_ == nullptr});
  started_ = true;
}

void ProductCall::finish(CpuSide& cpu) {
  for (const GemmProblem& rest : started_ ? job_.unfinished() : std::span(&parts_.gpu, 1)) {
    if (old_result_ != nullptr) old_result_->restore(rest);
    cpu.run(rest, plan.cpu);
  }
}

void ProductCall::end() noexcept {
  job_ = {};
  arriving_.reset();
  check_.reset();
}

void ProductCall::begin_check(ResultChecks& checks, GpuSide&, Manner manner) noexcept {
  check_by(checks.begin(parts_.gpu, plan.kernel, manner == Manner::told), checks.checks_all());
}

void ProductCall::check_by(std::unique_ptr<ProductCheck> check, bool is_timed) {
  check_ = std::move(check);
  check_is_timed_ = is_timed;
}

void ProductCall::check_ahead() noexcept {
  if (!arriving_ || arriving_->kept()) Call::check_ahead();
}

// If rows are checked while they arrive, the pipeline does the check.
PartCheck ProductCall::check(bool done) {
  if (!arriving_ || (arriving_->kept() && done)) return Call::check(done);
  PartCheck checked;
  checked.in_times = check_is_timed_;
  if (arriving_->saw_all() && (done || arriving_->verdict().wrong)) {
    checked.result = {arriving_->verdict(), arriving_->seconds()};
    checked.is_unusual = !check_is_timed_;
  }
  if (!check_is_timed_ && !checked.is_unusual) checked.apart_seconds = check_->seconds();
  return checked;
}

std::function<void()> ProductCall::evidence(GpuSide& gpu, std::uint64_t right) const {
  return [&gpu, part = parts_.gpu, kernel = plan.kernel, sharing = plan.sharing, right] {
    gpu.add_checked(part, kernel, sharing, right);
  };
}

void ArrivingResult::will_be_written() noexcept {
  try {
    check_.keep_c();
    kept_ = true;
  } catch (const std::exception&) {
    short_of_memory_ = true;
  }
}

bool ArrivingResult::is_right(const RowsCopy& rows) noexcept {
  if (short_of_memory_) return true;
  try {
    look(rows);
  } catch (const std::exception&) {
    short_of_memory_ = true;
  }
  return !verdict_.wrong;
}

void ArrivingResult::look(const RowsCopy& rows) {
  const auto element = static_cast<std::int64_t>(element_size(part_.precision));
  const std::int64_t at =
      (static_cast<const char*>(rows.to) - static_cast<const char*>(part_.c)) / element;
  const std::int64_t row = at / part_.ldc, column = at % part_.ldc;
  const auto count = static_cast<std::int64_t>(rows.rows);
  const std::int64_t columns = static_cast<std::int64_t>(rows.row_bytes) / element;
  const std::int64_t ld = static_cast<std::int64_t>(rows.from_pitch) / element;
  CheckVerdict seen;
  if (columns == part_.n) {
    seen = check_.look(row, count, rows.from, ld);
  } else {
    auto known = of_columns_.find(column);
    if (known == of_columns_.end())
      known = of_columns_.emplace(column, check_.of_columns(column, columns)).first;
    seen = known->second.look(row, count, rows.from, ld);
    if (seen.wrong) seen.wrong->column += column;
  }
  rows_ += count;
  verdict_.add(seen);
}

double ArrivingResult::seconds() const {
  double sum = check_.seconds();
  for (const auto& [column, check] : of_columns_) sum += check.seconds();
  return sum;
}

}  // namespace duoblas
