// Compiled kernels on disk, so that a second process need not compile them.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opencl/handles.hpp"

namespace duoblas::cl {

/// Changes a driver's binary before it is built and stored. Returns the binary to build. \throws
/// DeviceError if it cannot be changed.
using BinaryEdit = std::vector<unsigned char> (*)(const std::vector<unsigned char>& binary);

/// Binaries keyed by source, options, device, driver and the driver's build. The directory is made
/// with mode 0700. It is used only if it belongs to this user and nobody else may write it, since
/// it holds native code. Files are replaced atomically. If the directory cannot be used, programs
/// are compiled and not stored; `problem()` then says why. A damaged binary is compiled again and
/// replaced. Thread-safe.
class ProgramCache {
 public:
  /// An empty `directory` means no cache. `driver`: other facts that change a driver's output, such
  /// as its build and its compiler's environment.
  explicit ProgramCache(std::string directory, std::string driver = {});
  /// With `edit` the program is made from the edited binary, and that is stored. \throws
  /// DeviceError with the driver's build log if the source does not compile.
  Program build(const Context& context, std::string_view source, const std::string& options,
                BinaryEdit edit = nullptr);
  /// The same, but compiles even if there is a stored binary, and replaces it.
  Program build_anew(const Context& context, std::string_view source, const std::string& options,
                     BinaryEdit edit = nullptr);
  std::string problem() const;

 private:
  void note(std::string problem);

  Program compile(const Context& context, std::string_view source, const std::string& options,
                  BinaryEdit edit, bool anew);

  const std::string directory_, driver_;
  mutable std::mutex mutex_;  ///< of problem_
  std::string problem_;
};

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
