#include "engine/arriving_result.hpp"

#include <exception>

#include "problem/precision.hpp"

namespace duoblas {
namespace {

GemmProblem columns_of(const GemmProblem& whole, std::int64_t first, std::int64_t count) {
  const auto element = static_cast<std::int64_t>(element_size(whole.precision));
  GemmProblem part = whole;
  part.n = count;
  const std::int64_t of_b = whole.op_b == Op::none ? first : first * whole.ldb;
  part.b = static_cast<const char*>(whole.b) + of_b * element;
  part.c = static_cast<char*>(whole.c) + first * element;
  return part;
}

}  // namespace

void ArrivingResult::will_be_written() noexcept {
  try {
    wanted_.check.keep_c();
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
    seen = wanted_.check.look(row, count, rows.from, ld);
  } else {
    const auto known = of_columns_
                           .try_emplace(column, columns_of(part_, column, columns), wanted_.draws,
                                        wanted_.allows, OldC::in_place, wanted_.threads)
                           .first;
    seen = known->second.look(row, count, rows.from, ld);
    if (seen.wrong) seen.wrong->column += column;
  }
  rows_ += count;
  verdict_.suspected_rows += seen.suspected_rows;
  verdict_.gave_up = verdict_.gave_up || seen.gave_up;
  verdict_.wrong = seen.wrong;
}

double ArrivingResult::seconds() const {
  double sum = wanted_.check.seconds();
  for (const auto& [column, check] : of_columns_) sum += check.seconds();
  return sum;
}

}  // namespace duoblas
