// The other half of os/child_process.hpp: what a program does that was started so.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace duoblas {

/// From now on this process ends with its parent, and writes no core file: crashes are expected.
void end_with_parent() noexcept;

/// The original standard input and output; what a kernel or a driver prints is redirected.
class ParentChannel {
 public:
  ParentChannel();
  ~ParentChannel();
  ParentChannel(const ParentChannel&) = delete;
  ParentChannel& operator=(const ParentChannel&) = delete;

  /// A line with its end. Nothing if the parent has closed the channel.
  std::optional<std::string> hear();
  /// A line without its end, which is added. Lost if the parent has gone: hear() tells.
  void say(std::string line);

 private:
  int in_;
  int out_;
  FILE* lines_ = nullptr;
};

}  // namespace duoblas
