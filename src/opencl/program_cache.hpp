// Compiled kernels on disk, so that a second process need not compile them.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "opencl/binary_edit.hpp"
#include "opencl/handles.hpp"

namespace duoblas::cl {

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

}  // namespace duoblas::cl
