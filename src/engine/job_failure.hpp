// Why a job on the GPU failed: remembered instead of thrown, so that the CPU can step in.
#pragma once

#include <string>

namespace duoblas {

struct JobFailure {
  std::string text;  ///< empty where nothing failed
  int code = 0;      ///< cl_int, 0 where DuoBLAS itself declined the work
  bool hung = false;
  /// The device may go on, and write to the result then, whatever the host wrote there.
  bool may_write = false;

  /// In a handler: of what was caught. Short memory counts as a failure of the GPU's side.
  void remember() noexcept;

 private:
  void note(const char* what) noexcept;
};

}  // namespace duoblas
