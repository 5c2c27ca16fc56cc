#include "memory/registered_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include <duoblas/error.hpp>

#include "os/fork_state.hpp"

namespace duoblas {

namespace {

// A buffer that no command uses: its driver keeps the pages in place meanwhile. Empty: the driver
// refused, or was not asked yet.
struct PageLock {
  const cl::Context* device = nullptr;
  std::unique_ptr<cl::Buffer> buffer;
  bool asked = false;
};

}  // namespace

struct RegisteredBlock {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  BlockOwner owner = BlockOwner::library;
  std::atomic<int> users{0};
  std::vector<PageLock> locks;  // guarded by the registry's mutex
};

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::uintptr_t, std::shared_ptr<RegisteredBlock>> blocks;
  // Most programs register nothing, and take no lock in a call.
  std::atomic<std::uint64_t> changes{0};
  // OpenCL must not be called any more: in a forked child, and while the process ends.
  std::atomic<bool> without_opencl{false};
};

Registry& registry();

// The parent's users of blocks are not in the child, and neither is the driver.
void after_fork_in_child() {
  Registry& known = registry();
  known.without_opencl.store(true);
  for (auto& [begin, block] : known.blocks) block->users.store(0);
  known.mutex.unlock();
}

// Never destroyed, because static destructors of the program may free blocks. A fork within the few
// instructions of the process's first allocation could copy the initialiser's guard locked; that
// gap remains.
Registry& registry() {
  static Registry* const once = [] {
    auto* made = new Registry;
    // A child must not inherit the mutex while another thread holds it. It is only held for a look
    // into the map, so waiting for it here is short.
    at_fork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
            after_fork_in_child);
    return made;
  }();
  return *once;
}

void let_go(std::vector<PageLock> locks) noexcept {
  if (!registry().without_opencl.load()) return;
  for (PageLock& lock : locks) (void)lock.buffer.release();
}

// A driver's own exit handlers are older than the first lock, so they run after this one.
void watch_the_end() {
  static const bool once = std::atexit([] { registry().without_opencl.store(true); }) == 0;
  (void)once;
}

// The caller holds the mutex.
std::shared_ptr<RegisteredBlock> find(const Registry& known, const void* p, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  auto after = known.blocks.upper_bound(begin);
  if (after == known.blocks.begin()) return nullptr;
  const auto& block = (--after)->second;
  const std::size_t into = begin - block->begin;
  return into < block->bytes && bytes <= block->bytes - into ? block : nullptr;
}

}  // namespace

bool enter_block(const void* memory, std::size_t bytes, BlockOwner owner) {
  auto block = std::make_shared<RegisteredBlock>();
  block->begin = reinterpret_cast<std::uintptr_t>(memory);
  block->bytes = bytes;
  block->owner = owner;
  Registry& known = registry();
  const std::lock_guard guard(known.mutex);
  const auto after = known.blocks.lower_bound(block->begin);
  if (after != known.blocks.end() && after->first - block->begin < bytes) return false;
  if (after != known.blocks.begin()) {
    const RegisteredBlock& before = *std::prev(after)->second;
    if (block->begin - before.begin < before.bytes) return false;
  }
  known.blocks.emplace(block->begin, std::move(block));
  known.changes.fetch_add(1);
  return true;
}

bool leave_block(const void* memory, BlockOwner owner) noexcept {
  std::shared_ptr<RegisteredBlock> block;
  {
    Registry& known = registry();
    const std::lock_guard guard(known.mutex);
    const auto found = known.blocks.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == known.blocks.end() || found->second->owner != owner) return false;
    block = std::move(found->second);
    known.blocks.erase(found);
    known.changes.fetch_add(1);
  }
  for (int users = block->users.load(); users != 0; users = block->users.load())
    block->users.wait(users);
  let_go(std::move(block->locks));
  return true;
}

std::uint64_t registrations() noexcept {
  return registry().changes.load(std::memory_order_acquire);
}

std::size_t registered_block_of(const void* p, std::size_t bytes) noexcept {
  Registry& known = registry();
  if (registrations() == 0) return 0;
  const std::lock_guard guard(known.mutex);
  const auto block = find(known, p, bytes);
  return block ? block->bytes : 0;
}

// Under one lock, since each call asks.
bool any_is_registered(std::initializer_list<HostRect> rects) noexcept {
  Registry& known = registry();
  if (registrations() == 0) return false;
  const std::lock_guard guard(known.mutex);
  return std::ranges::any_of(
      rects, [&](const HostRect& rect) { return find(known, rect.data, rect.span()) != nullptr; });
}

LockedUse& LockedUse::operator=(LockedUse&& other) noexcept {
  std::swap(block_, other.block_);
  return *this;
}

LockedUse::~LockedUse() {
  if (block_ && block_->users.fetch_sub(1) == 1) block_->users.notify_all();
}

LockedUse PageLocks::hold(const void* p, std::size_t bytes) {
  Registry& known = registry();
  LockedUse use;
  {
    const std::lock_guard guard(known.mutex);
    auto block = find(known, p, bytes);
    if (!block) return {};
    block->users.fetch_add(1);
    use = LockedUse(block);
    const auto lock = std::ranges::find(block->locks, &context_, &PageLock::device);
    if (lock != block->locks.end() && lock->asked)
      return lock->buffer ? std::move(use) : LockedUse();
    if (lock == block->locks.end()) {
      block->locks.push_back({&context_, nullptr});
      if (block->owner == BlockOwner::library) return {};
    }
  }
  // Without the mutex: locking the pages of a large block takes as long as copying it.
  RegisteredBlock& block = *use.block_;
  std::unique_ptr<cl::Buffer> buffer;
  try {
    buffer = std::make_unique<cl::Buffer>(
        context_.wrap(reinterpret_cast<void*>(block.begin), block.bytes, cl::Access::read_write));
  } catch (const DeviceError&) {
    // Remembered, because asking again would take as long again.
  }
  watch_the_end();
  const bool locked = buffer != nullptr;
  const std::lock_guard guard(known.mutex);
  const auto lock = std::ranges::find(block.locks, &context_, &PageLock::device);
  lock->buffer = std::move(buffer);
  lock->asked = true;
  return locked ? std::move(use) : LockedUse();
}

PageLocks::~PageLocks() {
  std::vector<PageLock> mine;
  {
    Registry& known = registry();
    const std::lock_guard guard(known.mutex);
    for (auto& [begin, block] : known.blocks)
      for (PageLock& lock : block->locks)
        if (lock.device == &context_) mine.push_back(std::exchange(lock, {}));
    for (auto& [begin, block] : known.blocks)
      std::erase_if(block->locks, [](const PageLock& lock) { return lock.device == nullptr; });
  }
  let_go(std::move(mine));
}

}  // namespace duoblas
