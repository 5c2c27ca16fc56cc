// Compiled kernels on disk, so that a second process does not compile.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "opencl/binary_edit.hpp"
#include "opencl/handles.hpp"

namespace duoblas::cl {

/// Binaries keyed by source, options, device, driver and its build. The directory is made with mode
/// 0700 and used only where it belongs to this user and no one else may write it (it holds native
/// code); files are replaced atomically. Where the directory cannot be used, programs are compiled
/// and nothing is stored; `problem()` then says why. A damaged binary is recompiled and replaced.
/// Thread-safe.
class ProgramCache {
 public:
  /// `directory`: empty: no cache. `driver`: what else decides what a driver makes of a source,
  /// such as its build and its compiler's environment.
  explicit ProgramCache(std::string directory, std::string driver = {});
  /// With `edit` the program is that of the edited binary, which is what is stored.
  /// \throws DeviceError with the driver's build log where the source does not compile.
  Program build(const Context& context, std::string_view source, const std::string& options,
                BinaryEdit edit = nullptr);
  /// The same, whatever is stored, which it replaces.
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
