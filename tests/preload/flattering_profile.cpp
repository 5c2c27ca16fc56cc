// Stores a profile of the device that the environment names, for each of its arithmetics. By them
// both sides together take a part of the CPU's time (half of it), and that is slower than any:
// `auto` then leaves it, and stays with that. Usage: DUOBLAS_PROFILE_DIR=... [PART]
#include <cstdlib>

#include "engine/engine.hpp"

int main(int count, char** arguments) {
  using namespace duoblas;
  const double part = count > 1 ? std::atof(arguments[1]) : 0.5;
  const Settings settings = Settings::from_environment();
  Engine engine(settings);
  for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device)) {
    Profile profile;
    profile.key = engine.facts().profile_key(arithmetic);
    profile.origin = engine.facts().profile_origin();
    profile.cpu = engine.machine().cpu;
    profile.cpu_all = engine.machine().cpu_all;
    for (const Precision precision : {Precision::s, Precision::d}) {
      if (engine.machine().device.arithmetic(precision) != arithmetic) continue;
      for (const std::int64_t n : {512, 1024, 2048}) {
        const double work = 2e-9 * static_cast<double>(n * n * n);
        TunedPoint point;
        point.precision = precision;
        point.m = point.n = point.k = n;
        point.hybrid = point.simple = point.gpu = untuned_choice(precision, engine.machine());
        point.gpu.share = {16, 16};
        point.hybrid.seconds = point.simple.seconds = work * part;
        point.gpu.seconds = point.cpu_seconds = point.cpu_all_seconds = work;
        point.gpu_side_seconds = point.cpu_side_seconds = point.hybrid.seconds;
        profile.points.push_back(point);
      }
      profile.crossover_flops[precision_index(precision)] = 1e8;
    }
    store_profile(settings.profile_dir, profile);
  }
}
