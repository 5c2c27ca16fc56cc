// What was decided of calls that come again, until it is to be decided anew. To decide takes
// microseconds; to find it here a fraction of one, without a lock.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace duoblas {

/// A table of each thread's own. A decision may take the place of another one's.
/// \tparam Key is compared as a whole: calls of one place are not mixed up. It may be a hash.
template <typename Key, typename Value, std::size_t places>
class RecentDecisions {
 public:
  /// After so many it is not found: what it depends on may have changed. So a plan of 3 us adds 50
  /// ns to a call.
  static constexpr unsigned most_uses = 63;

  /// Null: none, or it must be made again. Valid until the thread's next keep().
  const Value* find(const Key& key, std::size_t hash) const noexcept {
    if (table_ == nullptr) return nullptr;
    Entry& entry = (*table_)[hash % places];
    if (entry.uses >= most_uses || !(entry.key == key)) return nullptr;
    ++entry.uses;
    return &entry.value;
  }
  /// What is kept though it must be made again, and how often it was found. Null: nothing.
  struct Used {
    const Value* value = nullptr;
    unsigned times = 0;
  };
  Used used(const Key& key, std::size_t hash) const noexcept {
    if (table_ == nullptr) return {};
    const Entry& entry = (*table_)[hash % places];
    if (entry.uses > most_uses || !(entry.key == key)) return {};
    return {&entry.value, entry.uses};
  }
  /// Does nothing if memory is short.
  void keep(const Key& key, std::size_t hash, const Value& value) const noexcept {
    Table* const here = table_here();
    if (here == nullptr) return;
    Entry& entry = (*here)[hash % places];
    entry.uses = unused;
    try {
      entry.value = value;
      entry.key = key;
      entry.uses = 0;
    } catch (const std::bad_alloc&) {
      // The next call makes it again.
    }
  }
  void forget(const Key& key, std::size_t hash) const noexcept {
    if (table_ == nullptr) return;
    if (Entry& entry = (*table_)[hash % places]; entry.key == key) entry.uses = unused;
  }

 private:
  static constexpr unsigned unused = most_uses + 1;
  struct Entry {
    Key key{};
    Value value{};
    unsigned uses = unused;
  };
  using Table = std::array<Entry, places>;

  struct EndsWithThread {
    ~EndsWithThread() {
      has_ended_ = true;
      delete table_;
      table_ = nullptr;
    }
  };
  static Table* table_here() {
    static thread_local EndsWithThread ends;
    (void)&ends;
    if (table_ == nullptr && !has_ended_) table_ = new (std::nothrow) Table;
    return table_;
  }

  // A plain pointer, because programs may multiply in exit() handlers after the thread's objects
  // are destroyed.
  static inline constinit thread_local Table* table_ = nullptr;
  static inline constinit thread_local bool has_ended_ = false;
};

}  // namespace duoblas
