// Programs that end while a thread builds a kernel.
//
// exit() destroys the driver's static objects while other threads run on. With NVIDIA's
// (580.159.04) that ended 23 programs with SIGSEGV whose threads were in the driver's compiler. So
// exit() waits for such a build, and no other begins.
#pragma once

namespace duoblas::cl {

/// While it exists in a thread, exit() in another one waits, for ten seconds at most.
class BuildUnderWay {
 public:
  /// \throws DeviceError CL_OUT_OF_HOST_MEMORY if the program ends.
  BuildUnderWay();
  /// A compiler that was loaded meanwhile has registered handlers of exit(): it waits before those,
  /// too, from now on.
  ~BuildUnderWay();
  BuildUnderWay(const BuildUnderWay&) = delete;
  BuildUnderWay& operator=(const BuildUnderWay&) = delete;
};

/// If this is the main thread, exit() in it waits before any handler runs. (A BuildUnderWay does
/// that for its own thread.)
void let_exit_here_wait_for_builds() noexcept;

/// Waits as exit() does. Afterwards no build begins in this process.
void end_builds() noexcept;

}  // namespace duoblas::cl
