#include "planner/way.hpp"

namespace duoblas {
namespace {

enum class Kind { none, level3, lapack };

// A byte each, but two for the logarithm of the flops.
struct KeyParts {
  Kind kind = Kind::none;
  int routine = 0, precision = 0, form = 0;
  double flops = 0;
  CallsAre calls = CallsAre::usual;
};

constexpr int least_log = -1024;

std::uint64_t key_of(const KeyParts& parts) {
  std::uint64_t key = 0;
  for (const int part : {static_cast<int>(parts.kind), parts.routine, parts.precision, parts.form})
    key = key << 8 | static_cast<std::uint8_t>(part);
  const double log = parts.flops > 0 ? std::ilogb(parts.flops) : least_log;
  key = key << 16 | static_cast<std::uint16_t>(log - least_log);
  return key << 16 | static_cast<std::uint16_t>(parts.calls);
}

}  // namespace

CallClass class_of(const Level3Problem& p, CallsAre calls) {
  const double work = flops(p);
  const int form = static_cast<int>(p.side) * 4 + static_cast<int>(p.op);
  return {key_of({Kind::level3, static_cast<int>(p.routine), static_cast<int>(p.precision), form,
                  work, calls}),
          work};
}

CallClass class_of(const LapackProblem& p) {
  const double work = flops(p);
  const int form = static_cast<int>(p.uplo == Uplo::lower) * 2 + (p.right_sides > 1 ? 1 : 0);
  return {key_of({Kind::lapack, static_cast<int>(p.routine), static_cast<int>(p.precision), form,
                  work, CallsAre::usual}),
          work};
}

CallClass as_unusual(const CallClass& call) {
  return {call.key | static_cast<std::uint64_t>(CallsAre::unusual), call.work};
}

bool is_stored(std::uint64_t key) {
  return (key & 0xffff) == static_cast<std::uint64_t>(CallsAre::usual);
}

}  // namespace duoblas
