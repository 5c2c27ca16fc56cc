#include "tuner/gemv_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/gpu_side.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/gemv_cases.hpp"
#include "tuner/gemv_curves.hpp"
#include "tuner/gemv_search.hpp"
#include "tuner/gemv_trials.hpp"
#include "tuner/kernel_trial_options.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

constexpr double usual_bytes = 128.0 * (1 << 20);
// Much longer than a launch and the wait for it.
constexpr double sample_seconds = 5e-3;
constexpr int samples = 3, finalists = 3, final_rounds = 11;
constexpr double clear_gain = 0.01;
constexpr int curve_rounds = 5;
constexpr double curve_seconds = 20;  // no new round after this

std::int64_t size_of(const GemvTuneRequest& request, const DeviceLimits& device,
                     Precision precision) {
  if (request.size > 0) return request.size;
  double bytes = usual_bytes;
  if (device.max_allocation_bytes > 0)
    bytes = std::min(bytes, static_cast<double>(device.max_allocation_bytes));
  if (device.memory_bytes > 0)
    bytes = std::min(bytes, static_cast<double>(device.memory_bytes) / 4);
  const double elements = bytes / static_cast<double>(element_size(precision));
  return std::max<std::int64_t>(64, static_cast<std::int64_t>(std::sqrt(elements)) / 64 * 64);
}

// What all forms of a request share.
struct Resources {
  GpuSide& gpu;
  const GemvTuneRequest& request;
  GemvTrials trials;
  Journal& journal;
  const GemvRejection& rejected;
};

class GemvTuning {
 public:
  GemvTuning(Resources& resources, Precision precision, bool transposes)
      : resources_(resources),
        precision_(precision),
        transposes_(transposes),
        size_(size_of(resources.request, resources.gpu.limits(), precision)),
        tuning_case_(resources.gpu, precision, transposes, size_, resources.request.seed) {}

  // The kernel that was tuned before, with the curves that are asked for.
  GemvFinding look_at(const TunedGemv& tuned) {
    GemvFinding finding = begun();
    finding.kernel = describe(tuned.kernel);
    finding.rate = tuned.rate;
    measure_curves(tuned.kernel, finding);
    return finding;
  }

  GemvFinding tune(double seconds, std::optional<TunedGemv>& tuned) {
    const DeviceLimits& limits = resources_.gpu.limits();
    const GemvKernel builtin = default_gemv_kernel(limits, precision_, transposes_);
    const Stopwatch watch;
    const GemvTimer timer = [&](const GemvKernel& kernel) { return timed(kernel); };
    const auto found = search_gemv_kernels(builtin, limits, precision_, transposes_, timer,
                                           [&] { return watch.seconds() < seconds; });
    if (found.empty()) throw DeviceError("no kernel of gemv can be used here");
    GemvFinding finding = begun();
    finding.timed = static_cast<int>(found.size());
    tuned = decided(found, builtin, finding);
    finding.kernel = describe(tuned->kernel);
    finding.rate = tuned->rate;
    finding.curves = searched_curves(found, tuned->kernel, tuning_case_.bytes());
    measure_curves(tuned->kernel, finding);
    return finding;
  }

 private:
  GemvFinding begun() const {
    GemvFinding finding;
    finding.precision = precision_;
    finding.transposes = transposes_;
    finding.size = size_;
    finding.builtin =
        describe(default_gemv_kernel(resources_.gpu.limits(), precision_, transposes_));
    return finding;
  }

  // Measures the requested curves of parameters that this form has. They replace those that the
  // search recorded.
  void measure_curves(const GemvKernel& best, GemvFinding& finding) {
    if (resources_.request.curves.empty()) return;
    finding.curves.clear();
    const auto axes = gemv_axes(resources_.gpu.limits(), transposes_);
    for (const std::string& name : resources_.request.curves)
      for (const auto& [known, member] : axes)
        if (name == known) finding.curves.push_back(curve(best, name, member));
  }

  FieldCurve curve(const GemvKernel& best, const std::string& name, int GemvKernel::*field) {
    FieldCurve curve{name, best.*field, {}};
    std::vector<TimedCandidate> candidates;
    std::vector<std::size_t> timed;
    for (const GemvKernel& kernel :
         gemv_neighbours(best, field, resources_.gpu.limits(), precision_, transposes_)) {
      curve.rates.push_back({kernel.*field, 0, ""});
      FieldRate& rate = curve.rates.back();
      if (const KernelVerdict verdict = resources_.trials.verdict(this->name(kernel), size_);
          verdict.verdict != Verdict::right) {
        rate.reason = verdict.why;
      } else if (!is_right(kernel)) {
        rate.reason = "its result is wrong";
      } else {
        timed.push_back(curve.rates.size() - 1);
        candidates.push_back(candidate(kernel));
      }
    }
    MeasureRules rules;
    rules.max_rounds = curve_rounds;
    rules.deadline = in_seconds(curve_seconds);
    rules.seed = resources_.request.seed;
    const auto timings = measure_interleaved(candidates, rules);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (timings[i].failed)
        curve.rates[timed[i]].reason = "the device failed";
      else
        curve.rates[timed[i]].rate = tuning_case_.bytes() / timings[i].median * 1e-9;
    }
    return curve;
  }

  TimedCandidate candidate(const GemvKernel& kernel) {
    return [this, kernel]() -> std::optional<double> {
      try {
        return seconds(kernel);
      } catch (const cl::DeviceHung&) {
        throw;
      } catch (const DeviceError&) {
        return std::nullopt;
      }
    };
  }

  std::string name(const GemvKernel& kernel) const {
    return gemv_kernel_text(precision_, transposes_, kernel);
  }

  // Seconds of one call. A measurement of the same request in the journal is not repeated.
  std::optional<double> timed(const GemvKernel& kernel) {
    journal::Timed timed{name(kernel), 0, {}};
    if (const auto known = resources_.journal.timed(timed.kernel)) {
      timed = *known;
    } else {
      const KernelVerdict verdict = resources_.trials.verdict(timed.kernel, size_);
      timed.why = verdict.why;
      timed.ended_a_process = ended_a_process(verdict.verdict);
      if (verdict.verdict == Verdict::right) {
        resources_.journal.timing(timed.kernel);
        try {
          timed.seconds = seconds(kernel);
        } catch (const cl::DeviceHung&) {
          throw;
        } catch (const DeviceError& e) {
          timed.why = e.what();
        }
      }
      resources_.journal.note(timed);
    }
    if (timed.seconds > 0) return timed.seconds;
    resources_.rejected(timed.kernel, timed.why);
    return std::nullopt;
  }

  double seconds(const GemvKernel& kernel) {
    seconds_of(kernel, 1);  // the first call builds its program
    int calls = 1;
    double took = seconds_of(kernel, calls);
    while (took < sample_seconds && calls < 1 << 12) {
      calls *= 2;
      took = seconds_of(kernel, calls);
    }
    for (int i = 1; i < samples; ++i) took = std::min(took, seconds_of(kernel, calls));
    return took / calls;
  }

  double seconds_of(const GemvKernel& kernel, int calls) {
    OpenedDevice& device = tuning_case_.device();
    const std::lock_guard guard(device.mutex);
    const Stopwatch watch;
    cl::Event last;
    for (int i = 0; i < calls; ++i) last = tuning_case_.enqueue(kernel);
    device.queue.wait(last);
    return watch.seconds();
  }

  // The built-in kernel, unless one of the fastest is clearly faster in turns with it, and right.
  TunedGemv decided(const std::vector<TimedGemv>& found, const GemvKernel& builtin,
                    GemvFinding& finding) {
    std::vector<GemvKernel> kernels;
    const auto known = std::ranges::find(found, builtin, &TimedGemv::kernel);
    if (known != found.end()) kernels.push_back(builtin);
    for (const TimedGemv& each : found)
      if (each.kernel != builtin && kernels.size() < finalists + 1) kernels.push_back(each.kernel);
    std::vector<TimedCandidate> candidates;
    for (const GemvKernel& kernel : kernels) candidates.push_back(candidate(kernel));
    MeasureRules rules;
    rules.max_rounds = final_rounds;
    rules.seed = resources_.request.seed;
    const auto timings = measure_interleaved(candidates, rules);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (timings[i].failed || !is_right(kernels[i])) continue;
      if (kernels[i] == builtin) finding.builtin_rate = tuning_case_.bytes() / timings[i].median;
      const double margin = best && kernels[*best] == builtin ? clear_gain : 0;
      if (!best || clearly_faster(timings[i], timings[*best], margin)) best = i;
    }
    if (!best) throw DeviceError("no kernel of gemv computes right results here");
    return {kernels[*best], tuning_case_.bytes() / timings[*best].median};
  }

  bool is_right(const GemvKernel& kernel) {
    if (tuning_case_.is_right(kernel)) return true;
    resources_.rejected(name(kernel), "its result is wrong at " + std::to_string(size_));
    return false;
  }

  Resources& resources_;
  const Precision precision_;
  const bool transposes_;
  const std::int64_t size_;
  GemvCase tuning_case_;
};

std::vector<GemvFinding> tuned_kernels(Resources& resources, TunedGemvs& tuned) {
  std::vector<std::pair<Precision, bool>> tuning_cases;
  for (const Precision precision : resources.request.precisions)
    for (const bool transposes : resources.request.transposes)
      if (resources.gpu.limits().has_fp64 || !is_double(precision))
        tuning_cases.emplace_back(precision, transposes);
  if (tuning_cases.empty()) throw DeviceError("the device has no double precision");
  const Stopwatch watch;
  std::vector<GemvFinding> findings;
  std::exception_ptr failure;
  for (std::size_t i = 0; i < tuning_cases.size(); ++i) {
    const auto [precision, transposes] = tuning_cases[i];
    const double left = std::max(0.0, resources.request.budget_seconds - watch.seconds());
    auto& kept = tuned[precision_index(precision)][transposes ? 1 : 0];
    const bool is_known = kept && !resources.request.curves.empty() && !resources.request.afresh;
    try {
      GemvTuning tuning(resources, precision, transposes);
      findings.push_back(
          is_known ? tuning.look_at(*kept)
                   : tuning.tune(left / static_cast<double>(tuning_cases.size() - i), kept));
    } catch (const cl::DeviceHung&) {
      throw;
    } catch (const DeviceError& e) {
      // The kernels that were found for the other types are kept.
      resources.rejected(gemv_name(precision, transposes), e.what());
      if (!failure) failure = std::current_exception();
    }
  }
  if (findings.empty()) std::rethrow_exception(failure);
  return findings;
}

// Each requested parameter must be one of a kernel in some form.
void require_axes(const GemvTuneRequest& request, const DeviceLimits& device) {
  for (const std::string& name : request.curves) {
    bool is_known = false;
    for (const bool transposes : request.transposes)
      for (const auto& [known, member] : gemv_axes(device, transposes))
        is_known = is_known || name == known;
    if (!is_known) throw SettingError(name + " means nothing to kernels of gemv on this device");
  }
}

}  // namespace

std::vector<GemvFinding> tune_gemv(Engine& engine, const GemvTuneRequest& request, Journal& journal,
                                   const GemvRejection& rejected, TunedGemvs& tuned) {
  GpuSide* const gpu = engine.gpu();
  if (gpu == nullptr) throw DeviceError("nothing to tune: " + engine.facts().gpu_problem());
  TuneRequest of_trials;
  of_trials.helper_program = request.helper_program;
  of_trials.kernel_time_out_seconds = request.kernel_time_out_seconds;
  Resources resources{*gpu, request, GemvTrials(kernel_trial_options(engine, of_trials)), journal,
                      rejected};
  require_axes(request, gpu->limits());
  return tuned_kernels(resources, tuned);
}

}  // namespace duoblas
