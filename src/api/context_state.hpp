// The private state of a Context.
#pragma once

#include <duoblas/context.hpp>

#include "api/job_queue.hpp"
#include "engine/engine.hpp"

namespace duoblas {

struct Context::State {
  explicit State(const Settings& settings) : engine(settings) {}
  Engine engine;
  JobQueue jobs;  ///< ends before the engine does
};

/// The engine behind a context, for parts of the library that decide before they compute.
struct ContextEngine {
  static Engine& of(Context& context);
};

/// For Context::last_call() of this thread.
void remember_call(const Outcome& outcome);
/// The same for a call that the program's own BLAS does.
void remember_passed_on(Reason reason) noexcept;

}  // namespace duoblas
