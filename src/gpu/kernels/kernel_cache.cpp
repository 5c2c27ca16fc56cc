#include "gpu/kernels/kernel_cache.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "gpu/kernels/patched_ptx.hpp"
#include "opencl/build_under_way.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/status_class.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/own_stack.hpp"

namespace duoblas {
namespace {

// Compilers of drivers, and the trials of what they made, on a stack that suffices. exit() in this
// thread waits for builds from now on, as if it had built the kernel itself.
template <typename Work>
auto on_build_stack(Work&& work) {
  cl::let_exit_here_wait_for_builds();
  return on_own_stack(std::forward<Work>(work));
}

// Checked before the launch, which would fail in the same manner, but later.
void check_group(const cl::Kernel& kernel, const std::string& name, std::size_t items,
                 const cl::Device& device) {
  constexpr int invalid_work_group_size = -54;
  if (cl::quirks_of(device.info).understates_groups) return;
  const std::size_t most = kernel.largest_group(device);
  if (items > most)
    throw DeviceError(device.info.name + " launches kernel " + name + " with " +
                          std::to_string(most) + " work-items per group at most, and it needs " +
                          std::to_string(items),
                      invalid_work_group_size);
}

// There are as many programs with compiled-in sizes as there are sizes.
constexpr std::size_t most_asked = 256;

}  // namespace

// By the fields in which the variants of a process differ.
std::size_t KernelCache::Hash::operator()(const ProgramKey& key) const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // spreads sizes over all bits
  std::uint64_t hash = 0;
  const auto add = [&](auto value) { hash = (hash ^ static_cast<std::uint64_t>(value)) * odd; };
  if (const auto* number = std::get_if<ProgramNumber>(&key)) {
    add(number->sizes);
    return static_cast<std::size_t>(hash ^ number->kernel);
  }
  const auto& variant = std::get<KernelVariant>(key);
  add(static_cast<int>(variant.precision) << 8 | static_cast<int>(variant.op_a) << 6 |
      static_cast<int>(variant.op_b) << 4 | static_cast<int>(variant.guard) << 2 |
      static_cast<int>(variant.rows));
  add(variant.n);
  add(variant.k);
  add(variant.m << 2 | static_cast<int>(variant.batching));
  add(variant.params.tile_rows << 16 | variant.params.tile_cols);
  add(variant.params.group_rows << 16 | variant.params.group_cols);
  return static_cast<std::size_t>(hash);
}

KernelCache::KernelCache(const TargetDevice& device, const GpuFolders& folders,
                         const std::string& driver, SteadySeconds clock)
    : device_(device),
      programs_(folders.cache_dir, driver),
      kernel_dir_(folders.kernel_dir),
      clock_(clock),
      refusals_(clock) {}

void KernelCache::try_all(const ProductTrials& products, const Verification& verification) {
  products_ = products;
  if (verification.wanted)
    verifier_ = std::make_unique<KernelVerifier>(device_.context.device(), verification);
}

KernelCache::Request KernelCache::request_of(const KernelVariant& variant) const {
  Request request;
  request.text = [&variant] { return text_of(variant); };
  request.trial = [this, &variant](BuiltProgram& built, std::uint64_t seed) {
    if (products_.what_is_wrong == nullptr) return std::string("nobody can try it");
    return products_.what_is_wrong(device_, variant, built, seed);
  };
  return request;
}

KernelCache::Request KernelCache::request_of(const TriedProgram& tried) const {
  return {tried.program, [this, &tried](BuiltProgram& built, std::uint64_t seed) {
            return tried.trial(device_, built, seed);
          }};
}

BuiltProgram KernelCache::build(const ProgramText& text, bool anew) {
  const std::string source = joined_source(text.files, kernel_dir_);
  const cl::BinaryEdit edit = hides_instructions(source) ? patched_ptx : nullptr;
  const cl::Context& context = device_.context;
  BuiltProgram built;
  built.params = text.params;
  built.program = anew ? programs_.build_anew(context, source, text.options, edit)
                       : programs_.build(context, source, text.options, edit);
  for (const std::string& kernel : text.kernels)
    built.kernels.emplace(kernel, built.program.kernel(kernel.c_str()));
  for (std::size_t i = 0; i < text.group_items.size(); ++i)
    check_group(built.kernel(text.kernels[i]), text.kernels[i], text.group_items[i],
                context.device());
  return built;
}

// A wrong result is a failure of the program. If the program cannot be run, that is a failure of
// the device, or a passing one.
std::string KernelCache::verify(Entry& entry, const ProgramText& text, const Request& request,
                                bool anyway) {
  const KernelVerifier::Trial trial = [&](std::uint64_t seed, bool again) {
    entry.is_tried = true;
    if (!again) return request.trial(entry.built, seed);
    BuiltProgram anew = build(text, true);
    return request.trial(anew, seed);
  };
  return verifier_ != nullptr ? verifier_->verify(identity_of(text, kernel_dir_), trial, anyway)
                              : trial(1, false);
}

void KernelCache::make(Entry& entry, const Request& request) {
  const ProgramText text = request.text();
  const bool is_to_be_tried = verifier_ != nullptr && request.trial;
  if (is_to_be_tried) entry.failure = verifier_->quarantine(identity_of(text, kernel_dir_));
  if (!entry.failure.empty()) return;
  entry.built = build(text, false);
  if (is_to_be_tried) entry.failure = verify(entry, text, request, false);
}

KernelCache::Entry KernelCache::made(const Request& request) {
  Entry entry;
  try {
    make(entry, request);
  } catch (const cl::DeviceHung&) {
    throw;
  } catch (const DeviceError& error) {
    // A trial that fails for another reason says nothing about the program.
    const bool is_built = static_cast<bool>(entry.built.program);
    if (is_built && cl::status_class(error.code()) != cl::StatusClass::launch_refused) throw;
    entry.failure = error.what();
    entry.failure_code = error.code();
    entry.may_pass = !is_built && may_pass(error.code());
  }
  return entry;
}

// Two threads that ask for one program build it once. Those that ask for others do not wait.
KernelCache::Entry& KernelCache::made_once(const ProgramKey& key, const Request& request) {
  struct UnderWay {
    KernelCache& cache;
    const ProgramKey& key;
    ~UnderWay() {
      {
        const std::lock_guard lock(cache.mutex_);
        std::erase(cache.under_way_, key);
      }
      cache.ended_.notify_all();
    }
  };
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return std::ranges::find(under_way_, key) == under_way_.end(); });
    if (Entry* const known = found(key)) return *known;
    under_way_.push_back(key);
  }
  const UnderWay under_way{*this, key};
  return keep(key, on_build_stack([&] {
                Entry entry = made(request);
                if (entry.failure.empty() && !entry.is_tried && request.warm_up) try {
                    request.warm_up(entry.built);
                  } catch (const std::exception&) {
                    // The product itself will find the problem, and report it.
                  }
                return entry;
              }));
}

KernelCache::Entry& KernelCache::keep(const ProgramKey& key, Entry&& entry) {
  const auto* const variant = std::get_if<KernelVariant>(&key);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = entries_.try_emplace(key);
  if (variant == nullptr)
    builds_.fetch_add(1, std::memory_order_relaxed);
  else if (is_new)
    variants_.fetch_add(1, std::memory_order_relaxed);
  Entry& kept = place->second;
  double until = KernelRefusals::for_ever;
  if (entry.may_pass) {
    entry.builds = kept.builds;
    entry.builds.add(entry.failure_code, clock_());
    until = entry.builds.until;
  }
  if (!entry.failure.empty() && clock_() < until) {
    if (variant != nullptr)
      refusals_.note(variant->params, variant->precision, entry.failure, until);
    const bool is_of_gemm = variant != nullptr || key == ProgramKey(guard_number);
    (is_of_gemm ? any_refused_ : has_refused_).store(true, std::memory_order_relaxed);
  }
  return kept = std::move(entry);
}

BuiltProgram& KernelCache::usable(Entry& entry) const {
  const std::lock_guard lock(mutex_);
  if (!entry.failure.empty()) throw DeviceError(entry.failure, entry.failure_code);
  return entry.built;
}

KernelCache::Entry* KernelCache::found(const ProgramKey& key) const {
  const auto known = entries_.find(key);
  if (known == entries_.end()) return nullptr;
  Entry& entry = known->second;
  return entry.may_pass && entry.builds.is_over(clock_()) ? nullptr : &entry;
}

KernelCache::Entry* KernelCache::find(const ProgramKey& key) const {
  const std::lock_guard lock(mutex_);
  return found(key);
}

BuiltProgram* KernelCache::find_usable(const ProgramKey& key) const {
  const std::lock_guard lock(mutex_);
  Entry* const entry = found(key);
  if (entry == nullptr) return nullptr;
  if (!entry->failure.empty()) throw DeviceError(entry->failure, entry->failure_code);
  return &entry->built;
}

bool KernelCache::refuse(const KernelParams& kernel, Precision precision, const std::string& why) {
  const bool is_news = refusals_.refuse(kernel, precision, why);
  any_refused_.store(true, std::memory_order_relaxed);
  return is_news;
}

std::string KernelCache::refusal(const KernelParams& kernel, Precision precision) const {
  return any_refused() ? refusals_.why(kernel, precision) : std::string();
}

// The device's mutex is held: nobody else uses the variant.
void KernelCache::note_refusal(const KernelVariant& variant, const DeviceError& error) {
  if (cl::status_class(error.code()) != cl::StatusClass::launch_refused) return;
  refusals_.note(variant.params, variant.precision, error.what(), KernelRefusals::for_ever);
  any_refused_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (Entry* entry = found(variant)) {
    entry->failure = error.what();
    entry->failure_code = error.code();
  }
}

bool KernelCache::refuses(const ProgramKey& key) const {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = found(key);
  return entry != nullptr && !entry->failure.empty();
}

bool KernelCache::has_all(const std::vector<TriedProgram>& programs) const {
  return std::ranges::all_of(programs,
                             [&](const TriedProgram& tried) { return has(tried.number); });
}

bool KernelCache::needs_trial(const ProgramKey& key, const Request& request) const {
  if (verifier_ == nullptr) return false;
  std::string verdict;
  {
    const std::lock_guard lock(mutex_);
    if (found(key) != nullptr) return false;
    if (const auto asked = verdicts_.find(key); asked != verdicts_.end()) {
      if (asked->second.empty()) return false;
      verdict = asked->second;
    }
  }
  if (verdict.empty()) verdict = verifier_->key_of(identity_of(request.text(), kernel_dir_));
  const bool needs = verifier_->needs_trial(verdict);
  const std::lock_guard lock(mutex_);
  if (verdicts_.size() < most_asked || verdicts_.contains(key))
    verdicts_.insert_or_assign(key, needs ? verdict : std::string());
  return needs;
}

bool KernelCache::needs_trial(const KernelVariant& variant) const noexcept {
  try {
    return needs_trial(variant, request_of(variant));
  } catch (const std::exception&) {
    return false;
  }
}

bool KernelCache::needs_trial(const TriedProgram& tried) const {
  return needs_trial(tried.number, request_of(tried));
}

void KernelCache::prepare(const KernelVariant& variant) noexcept {
  try {
    if (has(variant)) return;
    Request request = request_of(variant);
    if (products_.warm_up != nullptr)
      request.warm_up = [this, &variant](BuiltProgram& built) {
        products_.warm_up(device_, variant, built);
      };
    made_once(variant, request);
  } catch (const std::exception&) {
    // Short memory: get() builds it.
  }
}

void KernelCache::prepare(const std::vector<TriedProgram>& programs) {
  std::exception_ptr failure;
  for (const TriedProgram& tried : programs) try {
      get(tried);
    } catch (const cl::DeviceHung&) {
      throw;
    } catch (const DeviceError&) {
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

std::string KernelCache::try_now(const KernelVariant& variant) {
  const Request request = request_of(variant);
  const ProgramText text = request.text();
  Entry entry;
  entry.built = build(text, false);
  return verify(entry, text, request, true);
}

void KernelCache::reject(const KernelVariant& variant, const std::string& why) noexcept {
  try {
    if (verifier_ != nullptr) verifier_->reject(identity_of(text_of(variant), kernel_dir_), why);
  } catch (const std::exception&) {
    // Short memory: the next process will find out by itself.
  }
}

void KernelCache::reject(const TriedProgram& tried, const std::string& why) noexcept {
  try {
    {
      const std::lock_guard lock(mutex_);
      Entry& entry = entries_[tried.number];
      entry.failure = why;
      entry.may_pass = false;
      has_refused_.store(true, std::memory_order_relaxed);
    }
    if (verifier_ != nullptr) verifier_->reject(identity_of(tried.program(), kernel_dir_), why);
  } catch (const std::exception&) {
    // Memory is short: the next checked result will reject it.
  }
}

void KernelCache::add_checked(const KernelVariant& variant, std::uint64_t results) noexcept {
  try {
    if (verifier_ != nullptr && verifier_->keeps())
      verifier_->add_checked(identity_of(text_of(variant), kernel_dir_), results);
  } catch (const std::exception&) {
    // These are not counted.
  }
}

cl::Kernel& KernelCache::guard() {
  return get_or_make(guard_number, [] { return Request{guard_text, {}}; }).kernel("guard");
}

bool KernelCache::has_guard() const {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = found(guard_number);
  return entry != nullptr && entry->failure.empty();
}

}  // namespace duoblas
