// Why a GPU's job failed, kept until the CPU has done the work.
#pragma once

#include <string>
#include <utility>

namespace duoblas {

class JobFailure {
 public:
  /// Remembers the exception that is being handled. Short memory counts as a failure of the GPU's
  /// side, because the CPU needs no staging memory.
  void remember() noexcept;

  /// The reason; returned once.
  std::string take() noexcept { return std::exchange(text_, {}); }
  int error_code() const { return error_code_; }
  /// The device does not answer, and nothing waits for it any more.
  bool hung() const { return hung_; }
  /// The matrix had numbers that are unsuited for the device; with others it may work.
  bool is_for_numbers() const { return is_for_numbers_; }
  /// The device may go on later, and then write to C, over the host's results.
  bool may_write_c() const { return may_write_c_; }

 private:
  void note(const char* text) noexcept;

  std::string text_;
  int error_code_ = 0;
  bool hung_ = false, may_write_c_ = false, is_for_numbers_ = false;
};

}  // namespace duoblas
