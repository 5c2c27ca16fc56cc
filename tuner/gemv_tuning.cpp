#include "tuner/gemv_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include <duoblas/error.hpp>

#include "gpu/gemv.hpp"
#include "gpu/gemv_job.hpp"
#include "gpu/gpu_side.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/gemv_search.hpp"
#include "tuner/gemv_trials.hpp"
#include "tuner/kernel_trial_options.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_gemv.hpp"

namespace duoblas {
namespace {

constexpr double usual_bytes = 128.0 * (1 << 20);
// Long beside a launch and its wait.
constexpr double sample_seconds = 5e-3;
constexpr int samples = 3, finalists = 3, final_rounds = 11;
constexpr double clear_gain = 0.01;

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

CallerGemv square_call(Precision precision, bool transposes, std::int64_t size) {
  CallerGemv call;
  call.precision = precision;
  call.op = transposes ? Op::transpose : Op::none;
  call.m = call.n = size;
  return call;
}

// Kernels on operands in the device's memory.
class Subject {
 public:
  Subject(GpuSide& gpu, Precision precision, bool transposes, std::int64_t size, unsigned seed)
      : device_(gpu.device()),
        seed_(seed),
        measured_(square_call(precision, transposes, size), seed),
        a_(gpu.make_resident(measured_.a())) {
    const GemvProblem& p = measured_.problem();
    const std::lock_guard guard(device_->mutex);
    const auto bytes = static_cast<std::size_t>(size) * element_size(precision);
    operands_.a = a_->from(p.a);
    x_ = device_->memory.staged_input(rect_of(p.x.data, 1, size, size, precision), bytes);
    operands_.x = {x_.buffer, x_.offset_bytes, 1};
    operands_.y = {
        std::make_shared<cl::Buffer>(device_->context.allocate(bytes, cl::Access::read_write)), 0,
        1};
  }

  const GemvProblem& problem() const { return measured_.problem(); }

  /// Of one call. \throws DeviceError.
  double seconds(const GemvKernel& kernel) {
    int calls = 1;
    double took = seconds_of(kernel, calls);
    while (took < sample_seconds && calls < 1 << 12) {
      calls *= 2;
      took = seconds_of(kernel, calls);
    }
    for (int i = 1; i < samples; ++i) took = std::min(took, seconds_of(kernel, calls));
    return took / calls;
  }

  /// By the way of a call of the caller's memory, A apart. \throws DeviceError.
  bool is_right(const GemvKernel& kernel) {
    measured_.poison();
    RoutineJob job =
        start_gemv(device_, problem(), kernel, SharingMode::staged, GemvProblem(), a_.get());
    job.wait();
    add_sums(problem(), job.results());
    return measured_.error(problem().outputs() / 2, seed_) < 1;
  }

 private:
  double seconds_of(const GemvKernel& kernel, int calls) {
    const std::lock_guard guard(device_->mutex);
    operands_.aligned = starts_vectors_aligned(operands_.a, problem(), kernel);
    GemvScratch scratch;
    const Stopwatch watch;
    cl::Event last;
    for (int i = 0; i < calls; ++i) {
      last = submit_gemv(*device_, problem(), kernel, operands_, scratch);
      // Beyond the last few nothing waits for them, and the queue is in order.
      if (scratch.earlier.size() > 64) scratch.earlier.clear();
    }
    device_->queue.wait(last);
    return watch.seconds();
  }

  std::shared_ptr<OpenedDevice> device_;
  unsigned seed_;
  MeasuredGemv measured_;
  std::shared_ptr<const ResidentMatrix> a_;
  BoundOperand x_;
  GemvOperands operands_;
};

class GemvTuning {
 public:
  GemvTuning(GpuSide& gpu, const GemvTuneRequest& request, KernelTrialOptions options,
             const GemvRejection& rejected)
      : gpu_(gpu), request_(request), trials_(std::move(options)), rejected_(rejected) {}

  GemvFinding tune(Precision precision, bool transposes, double seconds) {
    GemvFinding finding{precision, transposes, size_of(request_, gpu_.limits(), precision),
                        {},        {},         0};
    Subject subject(gpu_, precision, transposes, finding.size, request_.seed);
    const GemvKernel builtin = default_gemv_kernel(gpu_.limits(), precision, transposes);
    const Stopwatch watch;
    const GemvTimer timer = [&](const GemvKernel& kernel) {
      return timed(subject, precision, transposes, kernel);
    };
    const auto found = search_gemv_kernels(builtin, gpu_.limits(), precision, transposes, timer,
                                           [&] { return watch.seconds() < seconds; });
    finding.timed = static_cast<int>(found.size());
    if (found.empty()) throw DeviceError("no kernel of gemv can be used on this device");
    decide(subject, found, builtin, finding);
    return finding;
  }

 private:
  std::string name(Precision precision, bool transposes, const GemvKernel& kernel) const {
    return std::string(1, letter(precision)) + "gemv " + (transposes ? "t, " : "n, ") +
           describe(kernel);
  }

  std::optional<double> timed(Subject& subject, Precision precision, bool transposes,
                              const GemvKernel& kernel) {
    const KernelVerdict verdict =
        trials_.verdict({precision, transposes, subject.problem().rows}, kernel);
    std::string why = verdict.why;
    if (verdict.verdict == Verdict::right) {
      try {
        return subject.seconds(kernel);
      } catch (const cl::DeviceHung&) {
        throw;
      } catch (const DeviceError& e) {
        why = e.what();
      }
    }
    rejected_(name(precision, transposes, kernel), why);
    return std::nullopt;
  }

  // The built-in kernel, unless one of the fastest is clearly faster in turns with it, and right.
  void decide(Subject& subject, const std::vector<TimedGemvKernel>& found,
              const GemvKernel& builtin, GemvFinding& finding) {
    const double bytes = traffic_bytes(subject.problem());
    std::vector<GemvKernel> kernels;
    const auto known = std::ranges::find(found, builtin, &TimedGemvKernel::kernel);
    if (known != found.end()) kernels.push_back(builtin);
    for (const TimedGemvKernel& each : found)
      if (each.kernel != builtin && kernels.size() < finalists + 1) kernels.push_back(each.kernel);
    std::vector<Contestant> contestants;
    for (const GemvKernel& kernel : kernels)
      contestants.push_back([&subject, kernel]() -> std::optional<double> {
        try {
          return subject.seconds(kernel);
        } catch (const cl::DeviceHung&) {
          throw;
        } catch (const DeviceError&) {
          return std::nullopt;
        }
      });
    MeasureRules rules;
    rules.max_rounds = final_rounds;
    rules.seed = request_.seed;
    const auto timings = measure_interleaved(contestants, rules);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (timings[i].failed || !is_right(subject, finding, kernels[i])) continue;
      if (kernels[i] == builtin) finding.builtin = {builtin, bytes / timings[i].median};
      const double margin = best && kernels[*best] == builtin ? clear_gain : 0;
      if (!best || clearly_faster(timings[i], timings[*best], margin)) best = i;
    }
    if (!best) throw DeviceError("no kernel of gemv computes right results on this device");
    finding.best = {kernels[*best], bytes / timings[*best].median};
  }

  bool is_right(Subject& subject, const GemvFinding& finding, const GemvKernel& kernel) {
    if (subject.is_right(kernel)) return true;
    rejected_(name(finding.precision, finding.transposes, kernel),
              "its result is wrong at " + std::to_string(finding.size));
    return false;
  }

  GpuSide& gpu_;
  const GemvTuneRequest& request_;
  GemvTrials trials_;
  const GemvRejection& rejected_;
};

}  // namespace

std::vector<GemvFinding> tune_gemv(Engine& engine, const GemvTuneRequest& request,
                                   const GemvRejection& rejected) {
  GpuSide* const gpu = engine.gpu();
  if (gpu == nullptr) throw DeviceError("nothing to tune: " + engine.gpu_problem());
  TuneRequest of_trials;
  of_trials.helper_program = request.helper_program;
  of_trials.kernel_time_out_seconds = request.kernel_time_out_seconds;
  GemvTuning tuning(*gpu, request, kernel_trial_options(engine, of_trials), rejected);
  std::vector<std::pair<Precision, bool>> subjects;
  for (const Precision precision : request.precisions)
    for (const bool transposes : request.transposes)
      if (gpu->limits().has_fp64 || !is_double(precision))
        subjects.emplace_back(precision, transposes);
  if (subjects.empty()) throw DeviceError("the device has no double precision");
  const Stopwatch watch;
  std::vector<GemvFinding> findings;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const double left = std::max(0.0, request.budget_seconds - watch.seconds());
    findings.push_back(tuning.tune(subjects[i].first, subjects[i].second,
                                   left / static_cast<double>(subjects.size() - i)));
  }
  return findings;
}

}  // namespace duoblas
