#include "engine/known_plans.hpp"

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

}  // namespace duoblas
