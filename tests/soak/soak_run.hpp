// The loop of the soak: groups of calls that are made at once, one per thread.
#pragma once

#include <barrier>
#include <chrono>
#include <mutex>

#include "soak/context_pool.hpp"
#include "soak/made_call.hpp"
#include "soak/soak_options.hpp"
#include "soak/soak_totals.hpp"

namespace duoblas::soak {

class SoakRun {
 public:
  SoakRun(const SoakOptions& options, ContextPool& contexts);

  /// Prints each call that is wrong with the command that makes it again.
  void run();
  const SoakTotals& totals() const { return totals_; }
  double seconds() const;

 private:
  /// Calls number * threads and on, in one context with one split.
  struct Group {
    std::uint64_t number = 0;
    Setting setting;
    bool forks = false;  ///< its first call is made in a child, too
    Context* context = nullptr;
  };

  bool next_group();
  void work(int thread);
  void make_one(int thread, CallMemory& memory);
  Verdict run_one(MadeCall& made);
  void start_child(MadeCall& made);
  void end_child(const SoakCall& call);
  void tell_progress();
  void tell(const SoakCall& call, const Verdict& verdict, const DevicePart& part);

  const SoakOptions options_;
  ContextPool& contexts_;
  std::barrier<> together_;
  Group group_;
  std::uint64_t end_ = 0;  ///< number of the first group that is not to be made
  bool stopped_ = false;
  int child_ = 0;
  std::chrono::steady_clock::time_point begun_, told_;
  std::mutex mutex_;
  SoakTotals totals_;
};

}  // namespace duoblas::soak
