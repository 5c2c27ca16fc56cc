#include "gpu/kernels/routine_kernels.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/kernels/build_stack.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
RoutineKernels::RoutineKernels(const cl::Context& context, const GpuFolders& folders,
                               const std::string& driver, SteadySeconds clock)
    : context_(context),
      programs_(folders.cache_dir, driver),
      kernel_dir_(folders.kernel_dir),
      clock_(clock) {}

KernelIdentity RoutineKernels::identity(const RoutineProgram& program) const {
  return {program.name, program.options, joined_source(program.files, kernel_dir_)};
}

BuiltRoutine RoutineKernels::build(const RoutineProgram& program, bool anew) {
  const std::string source = joined_source(program.files, kernel_dir_);
  BuiltRoutine built;
  built.program = anew ? programs_.build_anew(context_, source, program.options)
                       : programs_.build(context_, source, program.options);
  for (const std::string& kernel : program.kernels)
    built.kernels.emplace(kernel, built.program.kernel(kernel.c_str()));
  return built;
}

// A wrong result is a failure of the program. If the program cannot be run, that is a failure of
// the device.
void RoutineKernels::make(Entry& entry, const RoutineProgram& program, const Trial& trial) {
  const KernelIdentity identity = this->identity(program);
  if (verifier_ != nullptr) entry.failure = verifier_->quarantine(identity);
  if (!entry.failure.empty()) return;
  entry.built = build(program, false);
  if (verifier_ == nullptr) return;
  entry.failure = verifier_->verify(identity, [&](std::uint64_t seed, bool again) {
    if (!again) return trial(entry.built, seed);
    BuiltRoutine anew = build(program, true);
    return trial(anew, seed);
  });
}

RoutineKernels::Entry* RoutineKernels::find(ProgramNumber number) {
  const std::lock_guard guard(mutex_);
  const auto known = entries_.find(number);
  return known == entries_.end() || !counts(known->second) ? nullptr : &known->second;
}

BuiltRoutine& RoutineKernels::usable(Entry& entry) const {
  const std::lock_guard guard(mutex_);
  if (!entry.failure.empty()) throw DeviceError(entry.failure, entry.failure_code);
  return entry.built;
}

RoutineKernels::Entry& RoutineKernels::made_once(ProgramNumber number,
                                                 const std::function<RoutineProgram()>& program,
                                                 const Trial& trial) {
  const std::lock_guard alone(building_);
  if (Entry* const known = find(number)) return *known;
  return keep(number, on_build_stack([&] { return made(program(), trial); }));
}

RoutineKernels::Entry RoutineKernels::made(const RoutineProgram& program, const Trial& trial) {
  Entry entry;
  try {
    make(entry, program, trial);
  } catch (const cl::DeviceHung&) {
    throw;
  } catch (const DeviceError& error) {
    // A trial that cannot be run says nothing about the program.
    if (entry.built.program) throw;
    entry.failure = error.what();
    entry.failure_code = error.code();
    entry.may_pass = may_pass(error.code());
  }
  return entry;
}

RoutineKernels::Entry& RoutineKernels::keep(ProgramNumber number, Entry&& entry) {
  builds_.fetch_add(1, std::memory_order_relaxed);
  if (!entry.failure.empty()) has_refused_.store(true, std::memory_order_relaxed);
  const std::lock_guard guard(mutex_);
  Entry& kept = entries_[number];
  if (entry.may_pass) {
    entry.builds = kept.builds;
    entry.builds.add(entry.failure_code, clock_());
  }
  return kept = std::move(entry);
}

bool RoutineKernels::has(ProgramNumber number) const {
  const std::lock_guard guard(mutex_);
  const auto known = entries_.find(number);
  return known != entries_.end() && counts(known->second);
}

bool RoutineKernels::has_all(const std::vector<TriedProgram>& programs) const {
  return std::ranges::all_of(programs,
                             [&](const TriedProgram& tried) { return has(tried.number); });
}

bool RoutineKernels::needs_trial(const TriedProgram& tried) const {
  if (verifier_ == nullptr || has(tried.number)) return false;
  {
    const std::lock_guard guard(mutex_);
    if (const auto asked = need_trial_.find(tried.number); asked != need_trial_.end())
      return asked->second;
  }
  const bool needs = verifier_->needs_trial(identity(tried.program()));
  // There are as many programs with compiled-in sizes as there are sizes.
  constexpr std::size_t most_asked = 256;
  const std::lock_guard guard(mutex_);
  if (need_trial_.size() < most_asked) need_trial_.emplace(tried.number, needs);
  return needs;
}

bool RoutineKernels::refuses(ProgramNumber number) const {
  const std::lock_guard guard(mutex_);
  const auto known = entries_.find(number);
  return known != entries_.end() && counts(known->second) && !known->second.failure.empty();
}

void RoutineKernels::prepare(const OpenedDevice& device,
                             const std::vector<TriedProgram>& programs) {
  std::exception_ptr failure;
  for (const TriedProgram& tried : programs) try {
      get(device, tried);
    } catch (const cl::DeviceHung&) {
      throw;
    } catch (const DeviceError&) {
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

void RoutineKernels::convict(const TriedProgram& tried, const std::string& why) noexcept {
  try {
    {
      const std::lock_guard guard(mutex_);
      Entry& entry = entries_[tried.number];
      entry.failure = why;
      entry.may_pass = false;
      has_refused_.store(true, std::memory_order_relaxed);
    }
    if (verifier_ != nullptr) verifier_->convict(identity(tried.program()), why);
  } catch (const std::exception&) {
    // Memory is short: the next checked result will convict it.
  }
}

}  // namespace duoblas
