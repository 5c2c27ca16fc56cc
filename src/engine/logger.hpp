// The library's messages on standard error. Most are printed only on request (DUOBLAS_VERBOSE).
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "engine/gemv_call.hpp"
#include "engine/outcome.hpp"
#include "planner/decision.hpp"
#include "problem/batch_problem.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

class Logger {
 public:
  explicit Logger(int verbose) : verbose_(verbose) {}

  /// Level 1: a decision or an explanation, `text` and `more` in a line; the same one only once.
  /// Nothing is said where memory is short: results that are there must not become a failure.
  void once(std::string_view text, std::string_view more = {}) noexcept;
  /// At every level, once: a thing that every user must know.
  void always(const char* text) noexcept;
  /// At every level, each time: a kernel computed a wrong result.
  static void wrong_result(const char* text) noexcept;
  /// Level 2: a line per call.
  void call(const GemmProblem& problem, const Outcome& outcome);
  void call(const GemvProblem& problem, const Outcome& outcome) noexcept;
  void call(const BatchProblem& batch, const Outcome& outcome);
  void call(const Level3Problem& problem, const Decision& decision, const Outcome& outcome);
  void call(const LapackProblem& problem, const Decision& decision, const Outcome& outcome);

 private:
  const int verbose_;
  std::mutex mutex_;
  std::set<std::string> said_;
  std::atomic<bool> said_always_{false};
};

}  // namespace duoblas
