// What a program may see and set of its own calls: in C, for python/duoblas and others.
#include <cstring>
#include <string>

#include <duoblas/duoblas.h>
#include <duoblas/context.hpp>

#include "api/c_status.hpp"
#include "api/context_state.hpp"
#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/call_limits.hpp"
#include "dropin/engine/device_start.hpp"

extern "C" {

// The sizes from which the drop-in asks the engine follow the strategy.
duoblas_status duoblas_set_strategy(duoblas_strategy strategy) {
  return duoblas::guarded([&] {
    // C may pass any number, which is not to be read as an enumerator.
    unsigned number = 0;
    static_assert(sizeof number == sizeof strategy);
    std::memcpy(&number, &strategy, sizeof number);
    if (number > DUOBLAS_STRATEGY_HYBRID)
      throw duoblas::ArgumentError(1, "strategy", "must be one of duoblas_strategy");
    duoblas::Context& context = duoblas::Context::process_default();
    context.set_strategy(static_cast<duoblas::Strategy>(number));
    // Whoever asks for a device may get one that was not looked for before.
    if (duoblas::device_is_open() && number <= DUOBLAS_STRATEGY_CPU)
      duoblas::limit_calls(duoblas::ContextEngine::of(context), true);
    else
      duoblas::look_for_device_from_there_on();
  });
}

duoblas_status duoblas_last_call(duoblas_call_summary* summary) {
  return duoblas::guarded([&] {
    if (summary == nullptr) throw duoblas::ArgumentError(1, "summary", "is a null pointer");
    const duoblas::CallSummary last = duoblas::Context::last_call();
    static thread_local std::string reason;
    reason = last.reason;
    *summary = {static_cast<duoblas_strategy>(last.strategy),
                last.share.gpu_parts,
                last.share.parts,
                last.gpu_rows,
                last.by_columns ? 1 : 0,
                last.products,
                last.gpu_products,
                last.recovered ? 1 : 0,
                last.passed_on ? 1 : 0,
                last.seconds,
                reason.c_str()};
  });
}

const char* duoblas_summary(void) {
  static thread_local std::string text;
  if (duoblas::guarded([] { text = duoblas::summary_so_far(); }) != DUOBLAS_OK) return "";
  return text.c_str();
}

}  // extern "C"
