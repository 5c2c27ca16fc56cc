#include "engine/known_plans.hpp"

#include <array>
#include <new>

namespace duoblas {
namespace {

constexpr std::size_t places = 16;
constexpr unsigned most_uses = 31;

struct Entry {
  PlanKey key;
  Plan plan;
  unsigned uses = most_uses;
};
using Table = std::array<Entry, places>;

// A plain pointer, because programs may multiply in exit() handlers after the thread's objects are
// destroyed.
constinit thread_local Table* table = nullptr;
constinit thread_local bool has_ended = false;

struct EndsWithThread {
  ~EndsWithThread() {
    has_ended = true;
    delete table;
    table = nullptr;
  }
};

Table* table_here() {
  static thread_local EndsWithThread ends;
  (void)&ends;
  if (table == nullptr && !has_ended) table = new (std::nothrow) Table;
  return table;
}

std::size_t place_of(const PlanKey& key) {
  const auto word = static_cast<std::uint64_t>(key.m) * 0x9e3779b97f4a7c15 +
                    static_cast<std::uint64_t>(key.n) * 0xbf58476d1ce4e5b9 +
                    static_cast<std::uint64_t>(key.k) * 0x94d049bb133111eb +
                    static_cast<std::uint64_t>(key.op_a) * 5 +
                    static_cast<std::uint64_t>(key.op_b) * 11;
  return (word ^ word >> 32) % places;
}

}  // namespace

PlanKey plan_key(const GemmProblem& p, const PlanMachine& machine, const PlanRequest& request,
                 const Circumstances& now, std::uint64_t learned) {
  PlanKey key;
  key.precision = p.precision;
  key.op_a = p.op_a;
  key.op_b = p.op_b;
  key.overwrites_c = p.overwrites_c();
  key.only_scales_c = p.only_scales_c();
  key.m = p.m;
  key.n = p.n;
  key.k = p.k;
  key.lda = p.lda;
  key.ldb = p.ldb;
  key.ldc = p.ldc;
  if (machine.shared_bytes > 0)
    key.c_offset = reinterpret_cast<std::uintptr_t>(p.c) % machine.shared_bytes;
  key.strategy = request.strategy;
  key.math = request.math;
  key.now = now;
  key.machine = &machine;
  key.learned = learned;
  return key;
}

const Plan* known_plan(const PlanKey& key) noexcept {
  if (table == nullptr) return nullptr;
  Entry& entry = (*table)[place_of(key)];
  if (entry.uses >= most_uses || !(entry.key == key)) return nullptr;
  ++entry.uses;
  return &entry.plan;
}

void keep_plan(const PlanKey& key, const Plan& plan) noexcept {
  Table* const here = table_here();
  if (here == nullptr) return;
  Entry& entry = (*here)[place_of(key)];
  entry.uses = most_uses;
  try {
    entry.plan = plan;
    entry.key = key;
    entry.uses = 0;
  } catch (const std::bad_alloc&) {
    // The next call makes it again.
  }
}

}  // namespace duoblas
