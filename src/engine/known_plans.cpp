#include "engine/known_plans.hpp"

#include "memory/registered_memory.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

std::size_t hash_of(const PlanKey& key) {
  const auto word = static_cast<std::uint64_t>(key.m) * 0x9e3779b97f4a7c15 +
                    static_cast<std::uint64_t>(key.n) * 0xbf58476d1ce4e5b9 +
                    static_cast<std::uint64_t>(key.k) * 0x94d049bb133111eb +
                    static_cast<std::uint64_t>(key.op_a) * 5 +
                    static_cast<std::uint64_t>(key.op_b) * 11;
  return word ^ word >> 32;
}

PlanKey plan_key(const GemmProblem& p, const PlanMachine& machine, const PlanRequest& request,
                 const Circumstances& now, std::uint64_t learned) {
  const std::uintptr_t c_offset =
      machine.shared_bytes > 0 ? reinterpret_cast<std::uintptr_t>(p.c) % machine.shared_bytes : 0;
  return {
      p.precision, p.op_a, p.op_b, p.overwrites_c(), p.only_scales_c(), p.m,          p.n, p.k,
      p.lda,       p.ldb,  p.ldc,  c_offset,         request.strategy,  request.math, now, &machine,
      learned};
}

namespace {

struct Places {
  std::uint64_t registrations = 0;
  HostRect a, b, c;
  friend bool operator==(const Places&, const Places&) = default;
};
constexpr RecentDecisions<Places, bool, 16> known_places;

}  // namespace

bool has_registered_operand(const GemmProblem& p) {
  const std::uint64_t now = registrations();
  if (now == 0) return false;
  const Places places{now, rect_of_a(p), rect_of_b(p), rect_of_c(p)};
  // Of large blocks the last bits are those of a page.
  constexpr unsigned page_bits = 12;
  const auto page = [](const void* operand) {
    return reinterpret_cast<std::uintptr_t>(operand) >> page_bits;
  };
  const std::size_t hash = page(p.a) + 3 * page(p.b) + 5 * page(p.c);
  if (const bool* known = known_places.find(places, hash)) return *known;
  const bool is_registered = any_is_registered({places.a, places.b, places.c});
  known_places.keep(places, hash, is_registered);
  return is_registered;
}

}  // namespace duoblas
