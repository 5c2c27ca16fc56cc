// Compiling beside running commands, where the driver's compiler would hold these up.
#pragma once

#include <optional>

#include "opencl/handles.hpp"

namespace duoblas::cl {

/// While one lives, a ProgramCache compiles for this thread in a context that is made for that, and
/// loads the binary into the wanted one. Scopes do not nest.
///
/// NVIDIA's driver keeps commands of a context waiting while it compiles there. Writes, kernels and
/// reads of 1 MB went on at 0.55 of their rate, and some waited for 0.2 to 0.4 s; beside a
/// compilation in another context at their full rate. To load the binary takes 1 ms, because the
/// driver keeps the machine code. To make the other context takes 0.13 s.
class ScopedCompileApart {
 public:
  /// Does nothing unless it is `wanted` (DriverQuirks::compiler_holds_context).
  explicit ScopedCompileApart(bool wanted) noexcept;
  ~ScopedCompileApart();
  ScopedCompileApart(const ScopedCompileApart&) = delete;
  ScopedCompileApart& operator=(const ScopedCompileApart&) = delete;

  /// The context in which this thread compiles for this device; made when it is first asked for.
  /// Null: in the wanted one, because there is no scope, or no context can be made.
  static const Context* context_for(const Device& device) noexcept;

 private:
  std::optional<Context> context_;
  bool failed_ = false;
};

}  // namespace duoblas::cl
