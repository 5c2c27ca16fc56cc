// duoblas_soak: random calls of level 3 and LAPACK, hour after hour.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <duoblas/error.hpp>

#include "soak/last_words.hpp"
#include "soak/soak_run.hpp"
#include "support/driver_line.hpp"

namespace duoblas::soak {
namespace {

enum ExitCode { all_right = 0, some_wrong = 1, bad_usage = 2 };

// Whether a child was forked where that was asked for. Says where not. One call is enough.
bool did_fork(const SoakOptions& options, const SoakTotals& totals) {
  if (options.only || !options.forks || totals.in_children > 0) return true;
  std::printf("no call was made in a forked child\n");
  return false;
}

// Whether the device did its share of each type that it can compute. Says where not.
bool did_its_share(const SoakOptions& options, const SoakTotals& totals, Engine& engine) {
  if (options.least_device_share == 0) return true;
  if (engine.gpu() == nullptr) {
    std::printf("the device did nothing: there is none\n");
    return false;
  }
  bool enough = true;
  for (const Precision p : all_precisions) {
    const TypeTotals& type = totals.types[precision_index(p)];
    const bool asked_for = options.limits.types.find(letter(p)) != std::string::npos;
    if (!asked_for || !engine.machine().device.multiplies(p)) continue;
    if (type.flops == 0 && options.only) continue;
    if (type.flops > 0 && type.on_device >= options.least_device_share * type.flops) continue;
    if (type.flops == 0)
      std::printf("no call of %c multiplied\n", letter(p));
    else
      std::printf("the device did too little of %c: %.1f %% of the flops\n", letter(p),
                  100 * type.on_device / type.flops);
    enough = false;
  }
  return enough;
}

int soak(const SoakOptions& options) {
  ContextPool contexts;
  Engine& engine = ContextEngine::of(contexts.get({}));
  const GpuSide* const gpu = engine.gpu();
  if (gpu == nullptr)
    std::printf("no device, the CPU computes all: %s\n", engine.facts().gpu_problem().c_str());
  else if (gpu->info().has_fp64)
    std::printf("%s, driver %s\n", gpu->info().name.c_str(), gpu->info().driver_version.c_str());
  else
    test::tell_of_driver(gpu->info(),
                         "it has no double precision: doubles are multiplied by integers");
  std::fflush(stdout);
  SoakRun run(options, contexts);
  catch_last_words();
  run.run();
  forget_deadline();
  std::printf("seed %llu\n%s", static_cast<unsigned long long>(options.seed),
              run.totals().text(run.seconds()).c_str());
  const bool right = run.totals().wrong() == 0;
  const bool forked = did_fork(options, run.totals());
  return did_its_share(options, run.totals(), engine) && forked && right ? all_right : some_wrong;
}

}  // namespace
}  // namespace duoblas::soak

int main(int count, char** arguments) {
  using namespace duoblas::soak;
  if (count == 2 && std::string_view(arguments[1]) == "--help") {
    std::fputs(usage().c_str(), stdout);
    return all_right;
  }
  try {
    return soak(parse(count, arguments));
  } catch (const duoblas::Error& error) {
    std::fprintf(stderr, "%s\n%s", error.what(), usage().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return bad_usage;
}
