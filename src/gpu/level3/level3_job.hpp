// A running level-3 call on the GPU, beside the caller's thread. Its results reach the caller's
// memory as they become final.
//
// In: a level-3 problem and a kernel. start_level3() hands them to the transfer pipeline's thread
// (pipelined_level3.hpp), which copies, launches and fetches. Out: progress(), which tells what of
// C is final, also after a failure: the CPU does the rest (level3/device_parts.hpp). The job owns
// the work, not the operands, and its destructor waits.
#pragma once

#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/level3/pipelined_level3.hpp"

namespace duoblas {

class OpenedDevice;

class Level3Job {
 public:
  Level3Job() = default;  ///< nothing to do
  Level3Job(std::shared_ptr<OpenedDevice> device, std::future<Level3Outcome> pipelined)
      : device_(std::move(device)), pipelined_(std::move(pipelined)) {}
  Level3Job(Level3Job&&) noexcept = default;
  Level3Job& operator=(Level3Job&&) = delete;
  /// Waits: nothing reads or writes the caller's memory afterwards.
  ~Level3Job();

  /// Waits until everything is done. \throws DeviceError if it is not; see progress().
  void wait();
  /// How much is done. \pre wait() returned or threw.
  const Level3Progress& progress() const { return progress_; }
  /// Zeros if it failed.
  const Level3Times& times() const { return times_; }

 private:
  std::shared_ptr<OpenedDevice> device_;
  std::future<Level3Outcome> pipelined_;
  Level3Progress progress_;
  Level3Times times_;
};

/// Which of the caller's matrices the device may use in place.
struct Level3Sharing {
  MatricesInPlace wanted;
  /// The memory that the host writes meanwhile. It must not lie between lines of a C in place.
  HostRect of_host;
  /// The device fetches copied operands directly if they lie in registered memory; and it writes C
  /// there if nothing of C is read.
  bool registered_directly = false;
};

/// Whether the device has the type, and room for all of the call's operands at once.
bool takes_level3(const OpenedDevice& device, const Level3Problem& problem,
                  const KernelParams& kernel, const BlockSizes& sizes);

/// Starts it: the GPU works beside the caller. The operands must live until the job has ended. \pre
/// not only_scales_c(), not empty. \throws DeviceError; then nothing of C was written.
Level3Job start_level3(const std::shared_ptr<OpenedDevice>& device, const Level3Problem& problem,
                       const KernelParams& kernel, const BlockSizes& sizes,
                       const Level3Sharing& sharing = {});

/// One product for each kernel that the call uses.
std::vector<GemmProblem> products_by_kernel(const Level3Problem& problem,
                                            const KernelParams& kernel, const BlockSizes& sizes,
                                            MatricesInPlace wanted = {});

}  // namespace duoblas
