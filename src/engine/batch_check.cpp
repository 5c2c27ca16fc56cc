#include "engine/batch_check.hpp"

#include <random>
#include <set>

#include "memory/batch_staging.hpp"

namespace duoblas {
namespace {

// The drawn products, numbered through the groups.
std::set<std::int64_t> drawn(std::int64_t count, std::int64_t most, std::uint64_t seed) {
  std::set<std::int64_t> chosen;
  if (most >= count) {
    for (std::int64_t i = 0; i < count; ++i) chosen.insert(i);
    return chosen;
  }
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<std::int64_t> any(0, count - 1);
  while (static_cast<std::int64_t>(chosen.size()) < most) chosen.insert(any(engine));
  return chosen;
}

}  // namespace

BatchCheck::BatchCheck(const BatchProblem& part, std::uint64_t seed, double slack,
                       std::int64_t most)
    : part_(part) {
  const std::set<std::int64_t> chosen = drawn(part.count(), most, seed);
  auto next = chosen.begin();
  std::int64_t before = 0;
  for (const BatchGroup& group : part_.groups) {
    std::vector<char>& old = old_c_.emplace_back();
    const OperandOfGroup c = c_of(group);
    if (!group.shape.overwrites_c() && !group.empty()) {
      old.resize(static_cast<std::size_t>(c.count * c.rows) * c.row_bytes());
      gather(c, old.data(), c.row_bytes());
    }
    for (; next != chosen.end() && *next < before + group.count; ++next) {
      const GemmProblem product = group.product(*next - before);
      if (!can_check(product)) continue;
      checks_.emplace_back(product, ++seed, slack);
    }
    before += group.count;
  }
}

CheckVerdict BatchCheck::do_compare() {
  CheckVerdict all;
  for (std::size_t i = 0; i < checks_.size() && !all.wrong; ++i) {
    all.add(checks_[i].compare());
    wrong_ = i;
  }
  return all;
}

std::string BatchCheck::describe(const WrongElement& wrong) const {
  return checks_.at(wrong_).describe(wrong) + " in a batch";
}

void BatchCheck::restore() const noexcept {
  for (std::size_t g = 0; g < old_c_.size(); ++g) {
    const OperandOfGroup c = c_of(part_.groups[g]);
    if (!old_c_[g].empty()) scatter(old_c_[g].data(), c.row_bytes(), c);
  }
}

double BatchCheck::seconds() const {
  double all = 0;
  for (const ProductCheck& check : checks_) all += check.seconds();
  return all;
}

}  // namespace duoblas
