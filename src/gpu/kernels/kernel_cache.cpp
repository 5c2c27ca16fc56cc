#include "gpu/kernels/kernel_cache.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "gpu/kernels/build_stack.hpp"
#include "gpu/kernels/patched_ptx.hpp"
#include "gpu/product/launch.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/status_class.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

KernelCache::KernelCache(const cl::Context& context, const GpuFolders& folders,
                         const std::string& driver, SteadySeconds clock)
    : context_(context),
      programs_(folders.cache_dir, driver),
      kernel_dir_(folders.kernel_dir),
      clock_(clock) {}

void KernelCache::set_trials(Trials trials, KernelVerifier* verifier) {
  trials_ = std::move(trials);
  verifier_ = verifier;
}

namespace {

// There are as many kernels with compiled-in sizes as there are sizes.
constexpr std::size_t most_judged = 256;

// The kernel as products ask for it, without compiled-in sizes.
KernelParams of_any_size(KernelParams kernel) {
  kernel.inline_sizes = false;
  return canonical(kernel);
}

// A kernel that breaks a rule may read where no operand is. On a GPU such a read ends the context,
// and with it all that the process has there.
void check_rules(const KernelVariant& variant) {
  const KernelRule* const broken = violated_static_rule(variant.params);
  if (broken != nullptr)
    throw DeviceError("the kernel " + describe(variant.params) + " breaks the rule " +
                      std::string(broken->name) + ": " + std::string(broken->reason));
}

// Checked before the launch, which would fail in the same manner, but later.
void check_group(const cl::Kernel& kernel, const char* name, std::size_t items,
                 const cl::Device& device) {
  constexpr int invalid_work_group_size = -54;
  if (!kernel || cl::quirks_of(device.info).understates_groups) return;
  const std::size_t most = kernel.largest_group(device);
  if (items > most)
    throw DeviceError(device.info.name + " launches kernel " + name + " with " +
                          std::to_string(most) + " work-items per group at most, and it needs " +
                          std::to_string(items),
                      invalid_work_group_size);
}

}  // namespace

BuiltKernels KernelCache::build(const KernelVariant& variant, bool anew) {
  check_rules(variant);
  const std::string source = kernel_source(variant.params, kernel_dir_);
  BuiltKernels kernels;
  const cl::BinaryEdit edit = hides_instructions(source) ? patched_ptx : nullptr;
  kernels.program = anew ? programs_.build_anew(context_, source, kernel_options(variant), edit)
                         : programs_.build(context_, source, kernel_options(variant), edit);
  kernels.product = kernels.program.kernel("gemm");
  if (packs_a(variant)) kernels.pack_a = kernels.program.kernel("pack_a");
  if (packs_b(variant)) kernels.pack_b = kernels.program.kernel("pack_b");
  if (variant.params.k_split > 1 || variant.params.split_last)
    kernels.reduce = kernels.program.kernel("reduce");
  const GroupSizes groups = group_sizes(variant.params);
  const cl::Device& device = context_.device();
  check_group(kernels.product, "gemm", groups.product, device);
  check_group(kernels.pack_a, "pack_a", groups.packing, device);
  check_group(kernels.pack_b, "pack_b", groups.packing, device);
  check_group(kernels.reduce, "reduce", groups.reduction, device);
  return kernels;
}

// A wrong result is a failure of the kernel. If the kernel cannot be run, that is a failure of the
// device, or a passing one.
std::string KernelCache::verify(Entry& entry, bool anyway) {
  const KernelVerifier::Trial trial = [&](std::uint64_t seed, bool again) {
    entry.ran = true;
    if (!again) return trials_.what_is_wrong(entry.variant, entry.kernels, seed);
    BuiltKernels anew = build(entry.variant, true);
    return trials_.what_is_wrong(entry.variant, anew, seed);
  };
  return verifier_ != nullptr ? verifier_->verify(entry.variant, trial, anyway) : trial(1, false);
}

std::string KernelCache::try_now(const KernelVariant& variant) {
  Entry entry;
  entry.variant = variant;
  entry.kernels = build(variant);
  return verify(entry, true);
}

void KernelCache::warm_up(Entry& entry) noexcept {
  try {
    trials_.warm_up(entry.variant, entry.kernels);
  } catch (const std::exception&) {
    // The product itself will find the problem, and report it.
  }
}

std::unique_ptr<KernelCache::Entry> KernelCache::built_entry(const KernelVariant& variant) {
  auto entry = std::make_unique<Entry>();
  entry->variant = variant;
  bool is_built = false;
  try {
    if (verifier_ != nullptr) entry->failure = verifier_->quarantine(variant);
    if (!entry->failure.empty()) return entry;
    entry->kernels = build(variant);
    is_built = true;
    if (verifier_ != nullptr) entry->failure = verify(*entry, false);
  } catch (const cl::DeviceHung&) {
    throw;
  } catch (const DeviceError& error) {
    entry->failure = error.what();
    entry->failure_code = error.code();
    // A trial that fails for another reason says nothing about the kernel.
    if (is_built && cl::status_class(error.code()) != cl::StatusClass::launch_refused) throw;
    entry->may_pass = !is_built && may_pass(error.code());
  }
  return entry;
}

KernelCache::Entry* KernelCache::found(const KernelVariant& variant) const {
  const auto place = std::ranges::find_if(entries_, [&](const auto& entry) {
    return entry->variant == variant && (!entry->may_pass || clock_() < entry->until);
  });
  return place == entries_.end() ? nullptr : place->get();
}

KernelCache::Entry* KernelCache::find(const KernelVariant& variant) const {
  const std::lock_guard lock(mutex_);
  return found(variant);
}

double KernelCache::until_built_again(const Entry& failed) {
  if (!failed.may_pass) return never;
  auto known = std::ranges::find(failed_, failed.variant, &FailedVariant::variant);
  if (known == failed_.end()) known = failed_.insert(known, {failed.variant, {}});
  known->builds.add(failed.failure_code, clock_());
  return known->builds.until;
}

void KernelCache::note(const KernelParams& kernel, Precision precision, const std::string& why,
                       double until) {
  refusals_.push_back({of_any_size(kernel), precision, why, until});
  any_refused_.store(true, std::memory_order_relaxed);
}

bool KernelCache::refuse(const KernelParams& kernel, Precision precision, const std::string& why) {
  const std::lock_guard lock(mutex_);
  const Refusal* const known = refused(kernel, precision);
  if (known != nullptr && known->until == never) return false;
  note(kernel, precision, why, never);
  return true;
}

// The device's mutex is held: nobody else uses the variant.
void KernelCache::note_refusal(const KernelVariant& variant, const DeviceError& error) {
  if (cl::status_class(error.code()) != cl::StatusClass::launch_refused) return;
  const std::lock_guard lock(mutex_);
  note(variant.params, variant.precision, error.what(), never);
  if (Entry* entry = found(variant)) {
    entry->failure = error.what();
    entry->failure_code = error.code();
  }
}

// The one that lasts longest.
const KernelCache::Refusal* KernelCache::refused(const KernelParams& kernel,
                                                 Precision precision) const {
  const Refusal* longest = nullptr;
  for (const Refusal& known : refusals_)
    if (known.kernel == of_any_size(kernel) && known.precision == precision &&
        (longest == nullptr || known.until > longest->until))
      longest = &known;
  const bool is_over = longest != nullptr && longest->until < never && clock_() >= longest->until;
  return is_over ? nullptr : longest;
}

std::string KernelCache::refusal(const KernelParams& kernel, Precision precision) const {
  if (!any_refused()) return {};
  const std::lock_guard lock(mutex_);
  const Refusal* known = refused(kernel, precision);
  return known == nullptr ? std::string() : known->why;
}

// Two threads may have built the same variant; the entry that is there may be in use already.
KernelCache::Entry& KernelCache::keep(std::unique_ptr<Entry> entry) {
  const std::lock_guard lock(mutex_);
  if (Entry* there = found(entry->variant)) return *there;
  if (!entry->failure.empty()) {
    entry->until = until_built_again(*entry);
    if (clock_() >= entry->until) throw DeviceError(entry->failure, entry->failure_code);
    note(entry->variant.params, entry->variant.precision, entry->failure, entry->until);
  }
  return *entries_.emplace_back(std::move(entry));
}

BuiltKernels& KernelCache::get(const KernelVariant& variant) {
  Entry* const there = find(variant);
  Entry& entry =
      there != nullptr ? *there : keep(on_build_stack([&] { return built_entry(variant); }));
  if (!entry.failure.empty()) throw DeviceError(entry.failure, entry.failure_code);
  return entry.kernels;
}

bool KernelCache::has(const KernelVariant& variant) const {
  return find(variant) != nullptr;
}

bool KernelCache::needs_trial(const KernelVariant& variant) const noexcept {
  try {
    if (verifier_ == nullptr) return false;
    {
      const std::lock_guard lock(mutex_);
      if (found(variant) != nullptr || std::ranges::find(judged_, variant) != judged_.end())
        return false;
    }
    if (verifier_->needs_trial(variant)) return true;
    const std::lock_guard lock(mutex_);
    if (judged_.size() < most_judged) judged_.push_back(variant);
    return false;
  } catch (const std::exception&) {
    return false;  // get() tells why it cannot be built
  }
}

void KernelCache::prepare(const KernelVariant& variant) noexcept {
  try {
    if (has(variant)) return;
    auto entry = on_build_stack([&] {
      auto built = built_entry(variant);
      if (built->failure.empty() && !built->ran && trials_.warm_up) warm_up(*built);
      return built;
    });
    keep(std::move(entry));
  } catch (const std::exception&) {
    // Short memory: get() builds it.
  }
}

std::size_t KernelCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

cl::Kernel& KernelCache::guard() {
  if (!has_guard()) {
    {
      const std::lock_guard lock(mutex_);
      if (!failed_guard_.builds.is_over(clock_()))
        throw DeviceError(failed_guard_.why, failed_guard_.code);
    }
    try {
      build_guard();
    } catch (const cl::DeviceHung&) {
      throw;
    } catch (const DeviceError& error) {
      note_failed_guard(error);
      throw;
    }
  }
  const std::lock_guard lock(mutex_);
  return guard_->kernel;
}

void KernelCache::build_guard() {
  auto built = std::make_unique<GuardKernel>();
  on_build_stack([&] {
    built->program = programs_.build(context_, guard_source(kernel_dir_), "-cl-std=CL1.2");
    built->kernel = built->program.kernel("guard");
  });
  const std::lock_guard lock(mutex_);
  if (!guard_) guard_ = std::move(built);
}

void KernelCache::note_failed_guard(const DeviceError& error) {
  const std::lock_guard lock(mutex_);
  failed_guard_.why = error.what();
  failed_guard_.code = error.code();
  if (may_pass(error.code()))
    failed_guard_.builds.add(error.code(), clock_());
  else
    failed_guard_.builds.until = never;
  any_refused_.store(true, std::memory_order_relaxed);
}

bool KernelCache::refuses_guard() const {
  if (!any_refused()) return false;
  const std::lock_guard lock(mutex_);
  return !guard_ && !failed_guard_.builds.is_over(clock_());
}

bool KernelCache::has_guard() const {
  const std::lock_guard lock(mutex_);
  return guard_ != nullptr;
}

}  // namespace duoblas
