#include "gpu/kernels/kernel_verifier.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <duoblas/error.hpp>

#include "opencl/cache_file.hpp"
#include "opencl/device.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

// Names the set of products of a trial: verdicts of another set do not count.
constexpr const char* trial_version = "covering products 1";

std::string wrong_text(const VariantVerdict& verdict) {
  return "kernel " + verdict.kernel + " of " + verdict.device + ": " + verdict.failure;
}

}  // namespace

std::int64_t KernelVerifier::system_seconds() {
  using std::chrono::duration_cast;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return duration_cast<std::chrono::seconds>(now).count();
}

KernelVerifier::KernelVerifier(const cl::Device& device, Verification wanted, Clock clock)
    : device_(device.info),
      driver_(device.info.platform + ' ' + device.info.driver_version),
      environment_(cl::driver_build(device) + '\0' + wanted.compiler_environment),
      folder_(std::move(wanted.folder)),
      clock_(clock) {}

std::string KernelVerifier::key_of(const KernelIdentity& program) const {
  std::string key;
  for (const std::string& field : {std::string(trial_version), device_.platform, device_.name,
                                   device_.driver_version, device_.device_version, environment_,
                                   program.options, cl::cache_file_name(program.source)}) {
    key += field;
    key += '\0';
  }
  return key;
}

VariantVerdict KernelVerifier::load(const KernelIdentity& program, const std::string& key) const {
  VariantVerdict verdict = folder_.load(key).value_or(VariantVerdict{});
  verdict.device = device_.name;
  verdict.driver = driver_;
  verdict.kernel = program.name;
  return verdict;
}

VariantVerdict KernelVerifier::change(const KernelIdentity& program,
                                      const std::function<void(VariantVerdict&)>& change) {
  const std::string key = key_of(program);
  const std::lock_guard one_at_a_time(files_);
  VariantVerdict verdict = load(program, key);
  change(verdict);
  std::string problem = folder_.store(key, verdict);
  const std::lock_guard lock(mutex_);
  problem_ = std::move(problem);
  return verdict;
}

VariantVerdict KernelVerifier::fail(const KernelIdentity& program, const std::string& failure) {
  return change(program, [&](VariantVerdict& verdict) { add_failure(verdict, failure, clock_()); });
}

void KernelVerifier::note_wrong(std::string text, bool is_news) {
  const std::lock_guard lock(mutex_);
  wrong_.push_back({std::move(text), is_news});
}

std::string KernelVerifier::quarantine(const KernelIdentity& program) {
  const VariantVerdict verdict = load(program, key_of(program));
  if (!is_quarantined(verdict, clock_())) return {};
  std::string why = wrong_text(verdict) + " (an earlier process found that)";
  note_wrong(why, false);
  return why;
}

bool KernelVerifier::needs_trial(const std::string& key) const {
  const VariantVerdict verdict = folder_.load(key).value_or(VariantVerdict{});
  return !is_verified(verdict, clock_()) && !is_quarantined(verdict, clock_());
}

std::string KernelVerifier::verify(const KernelIdentity& program, const Trial& trial, bool anyway) {
  const VariantVerdict before = load(program, key_of(program));
  if (!anyway && is_verified(before, clock_())) return {};
  {
    const std::lock_guard lock(mutex_);
    ++trials_;
  }
  constexpr std::uint64_t first_seed = 1, second_seed = 1000;
  std::string wrong;
  try {
    wrong = trial(first_seed, false);
  } catch (const cl::DeviceHung&) {
    fail(program, "it does not end");
    throw;
  }
  if (wrong.empty()) {
    change(program, [&](VariantVerdict& verdict) {
      // Another process, or a call, may have seen a failure meanwhile.
      if (verdict.failures <= before.failures) add_success(verdict, clock_());
    });
    return {};
  }
  // One failure may be a passing fault of the machine, but this process does without the kernel.
  VariantVerdict verdict = fail(program, wrong);
  try {
    if (const std::string twice = trial(second_seed, true); !twice.empty())
      verdict = fail(program, twice);
  } catch (const cl::DeviceHung&) {
    throw;
  } catch (const DeviceError&) {
    // The next process tries it again.
  }
  std::string why = wrong_text(verdict);
  note_wrong(why, true);
  return why;
}

void KernelVerifier::reject(const KernelIdentity& program, const std::string& failure) {
  fail(program, failure);
}

void KernelVerifier::add_checked(const KernelIdentity& program, std::uint64_t results) {
  change(program, [&](VariantVerdict& verdict) { verdict.checked += results; });
}

std::vector<WrongKernel> KernelVerifier::take_wrong() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wrong_, {});
}

std::uint64_t KernelVerifier::trials() const {
  const std::lock_guard lock(mutex_);
  return trials_;
}

std::string KernelVerifier::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::vector<VariantVerdict> KernelVerifier::known() const {
  std::vector<VariantVerdict> verdicts = folder_.all();
  std::erase_if(verdicts, [&](const VariantVerdict& verdict) {
    return verdict.device != device_.name || verdict.driver != driver_;
  });
  return verdicts;
}

}  // namespace duoblas
