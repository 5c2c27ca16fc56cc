#include "engine/arriving_result.hpp"

#include <exception>

#include "problem/precision.hpp"

namespace duoblas {
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
