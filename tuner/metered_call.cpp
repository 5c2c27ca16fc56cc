// One call's joules: it is repeated for as long as the sensors need.
#include <duoblas/error.hpp>

#include <optional>

#include "timing/stopwatch.hpp"
#include "tuner/call_energy.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

// More than one, because a sensor may be gone for a moment.
constexpr int most_tries = 3;
// In times of the sensors' time to settle. A sensor that is silent for longer has failed.
constexpr double longest_wait = 3;

class Piece {
 public:
  Piece(Engine& engine, const GemmProblem& problem, const Plan& plan, int repeats)
      : engine_(engine), problem_(problem), plan_(plan), repeats_(repeats) {}

  /// Calls until `enough()`, once at least; false where the GPU failed.
  template <typename Enough>
  bool run(Enough enough) {
    sum_ = {};
    calls_ = 0;
    do {
      const auto sample = sampled_call(engine_, problem_, plan_, repeats_);
      if (!sample) return false;
      sum_.whole += sample->whole;
      sum_.gpu += sample->gpu;
      sum_.cpu += sample->cpu;
      ++calls_;
    } while (!enough());
    return true;
  }

  CallSample mean(double joules) const {
    return {sum_.whole / calls_, sum_.gpu / calls_, sum_.cpu / calls_, joules / calls_ / repeats_};
  }

 private:
  Engine& engine_;
  const GemmProblem& problem_;
  const Plan& plan_;
  int repeats_;
  CallSample sum_;
  int calls_ = 0;
};

}  // namespace

std::optional<CallSample> metered_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                       int repeats, CallEnergy& energy) {
  Piece piece(engine, problem, plan, repeats);
  Piece around(engine, problem, plan, repeats);
  for (int tries = 0; tries < most_tries; ++tries) {
    const Stopwatch settling;
    if (!around.run([&] { return settling.seconds() >= energy.settle_seconds(); }))
      return std::nullopt;
    const Stopwatch working;
    const double begin = energy.mark();
    if (!piece.run([&] { return working.seconds() >= energy.piece_seconds(); }))
      return std::nullopt;
    const double end = energy.mark();
    const Stopwatch telling;
    const auto told = [&] {
      return energy.has_told(end) || telling.seconds() > longest_wait * energy.settle_seconds();
    };
    if (!told() && !around.run(told)) return std::nullopt;
    if (const auto joules = energy.joules(begin, end)) return piece.mean(*joules);
  }
  throw Error("energy cannot be measured any more: " + energy.problem() +
              "; run \"duoblas tune\" again: it goes on from here");
}

}  // namespace duoblas
