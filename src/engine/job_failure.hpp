// Why a GPU's job failed, kept until the CPU has stepped in.
#pragma once

#include <string>
#include <utility>

namespace duoblas {

class JobFailure {
 public:
  /// Of the exception that is handled now. Short memory counts as a failure of the GPU's side: the
  /// CPU needs none of the staging.
  void remember() noexcept;

  /// Why; whoever asks has it.
  std::string take() noexcept { return std::exchange(text_, {}); }
  int error_code() const { return error_code_; }
  /// The device does not answer; nothing of it is waited for any more.
  bool hung() const { return hung_; }
  /// It may go on, and write to C then, whatever the host wrote there.
  bool may_write_c() const { return may_write_c_; }

 private:
  void note(const char* text) noexcept;

  std::string text_;
  int error_code_ = 0;
  bool hung_ = false, may_write_c_ = false;
};

}  // namespace duoblas
