#include "cli/selftest/section.hpp"

#include <exception>

#include "cli/text_table.hpp"

namespace duoblas::cli::selftest {
namespace {

template <Precision precision>
void kernels_of(SectionRun& run) {
  test_kernels(run, precision);
}

// About two minutes together, ten seconds if quick.
constexpr Section all_sections[] = {
    {"machine", 5, 2, look_at_machine},
    {"cpu", 5, 1, test_cpu},
    {"kernels s", 18, 1, kernels_of<Precision::s>},
    {"kernels d", 15, 1, kernels_of<Precision::d>},
    {"kernels c", 15, 1, kernels_of<Precision::c>},
    {"kernels z", 15, 1, kernels_of<Precision::z>},
    {"sharing", 8, 1, test_sharing},
    {"overlap", 8, 1, test_overlap},
    {"hybrid", 10, 1, test_hybrid},
    {"refusals", 4, 1, test_refusals},
    {"timings", 15, 1, take_timings},
};

}  // namespace

std::span<const Section> sections() {
  return all_sections;
}

void SectionRun::step(const std::string& name, const std::function<Finding()>& work) {
  const int number = step_++;
  if (number < first_step_) return;
  tell_({SectionLine::Say::begun, number, name, {}});
  Finding finding;
  try {
    finding = work();
  } catch (const std::exception& error) {
    finding = wrong(error.what());
  }
  tell_({SectionLine::Say::found, number, name, finding});
}

void SectionRun::left_out(const std::string& what) {
  step("left out", [&] {
    return told(what + ": " + significant(seconds_, 3) + " s were over", {{"left_out", what}});
  });
}

GpuSide* SectionRun::gpu_of(Engine& engine) {
  GpuSide* gpu = nullptr;
  step("the device opens", [&] {
    gpu = engine.gpu();
    if (gpu == nullptr) return impossible("no device is used: " + engine.facts().gpu_problem());
    return Finding{Found::ok, gpu->info().name};
  });
  // If the opening crashed or hung before, it would do so again.
  if (first_step_ == step_) return nullptr;
  // If the opening is left out, a later step crashed or hung. So the device can be opened.
  return gpu != nullptr ? gpu : engine.gpu();
}

}  // namespace duoblas::cli::selftest
