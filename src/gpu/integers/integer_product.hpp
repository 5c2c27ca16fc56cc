// A product of doubles, or of complex ones, by integers, for a device without doubles: phases of
// kernels, block by block (docs/design/integers.md).
//
//   measure A, B ─> bound ─> certify ─> (residues A, B ─> multiply)... ─> store
//
// Nothing waits for the device. An element that is not certified marks the job's state with the
// number of its block; the kernels that follow return at once then, and of that block and of later
// ones C must not be used.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device/device_scratch.hpp"
#include "gpu/device/earlier_kernels.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/kernels/program_text.hpp"
#include "gpu/kernels/target_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Throws if the block of C is not certified, or one before it. Blocks are numbered from 0, in the
/// order in which they were enqueued. `state`: as the block's note has it. \throws
/// UnsuitedNumbers.
void require_certified(const std::int32_t* state, std::int64_t block);

/// The scratch memory of a job that divides its blocks of C so.
DeviceBytes scratch_of(const IntegerBlocks& blocks);

/// Memory of their own for lines that outlive the job, instead of the scratch memory; null: none.
struct LastingLines {
  std::shared_ptr<const cl::Buffer> memory;
  bool are_known = false;  ///< a block before had them
};
struct LastingSides {
  LastingLines a, b;
};

/// One job, whose blocks of C are enqueued one after another. What is known of a block's lines of A
/// or B stays for the next one, if that has the same.
class IntegerProduct {
 public:
  using State = std::array<std::int32_t, 2>;
  static constexpr std::size_t state_bytes = sizeof(State);

  /// Of the state, and of what is noted of it after each block.
  static std::size_t states_bytes(int notes) {
    return static_cast<std::size_t>(1 + notes) * state_bytes;
  }

  /// `blocks`: that its blocks of C are divided into. `notes`: before so many more blocks are
  /// enqueued, a block's note has been read. Allocates. \throws DeviceError; UnsuitedNumbers for
  /// scalars that are not finite.
  IntegerProduct(const TargetDevice& device, cl::Queue& queue, DeviceScratch& shared,
                 const GemmProblem& whole, const IntegerBlocks& blocks, int notes = 1);

  /// A block of C; and which lines of op(A) and op(B) it takes: the same number, the same lines.
  struct Numbers {
    std::int64_t c = 0, a = 0, b = 0;
  };
  /// Whether a block's lines of A, or of B, can have that: their residues are there all at once.
  bool takes_whole(const GemmProblem& block, bool columns) const;

  /// Enqueues without a flush; the event is of the last command. \throws DeviceError.
  cl::Event enqueue(BuiltProgram& built, const GemmProblem& block, const Numbers& numbers,
                    const BoundInputs& inputs, const BoundOperand& c,
                    const LastingSides& lasting = {});

  /// Commands before the last one, in their order, since the last call: the first call's begin
  /// with one that fills the state.
  EarlierKernels take_earlier() { return std::exchange(earlier_, {}); }
  /// The names of the kernels.
  const std::vector<std::string_view>& phases() const { return phases_; }
  /// The state as it was after the block. (Later ones' kernels write to the state itself.)
  const std::shared_ptr<const cl::Buffer>& note(std::int64_t block) const {
    return notes_[static_cast<std::size_t>(block) % notes_.size()];
  }

 private:
  class Phases;
  /// The lines whose magnitudes are there: of which block, and where in it.
  struct Held {
    std::int64_t block = -1, line = 0, term = 0;
    bool operator==(const Held&) const = default;
  };
  bool is_new(Held& held, const Held& wanted) { return std::exchange(held, wanted) != wanted; }

  cl::Queue& queue_;
  const IntegerBlocks blocks_;
  const int compute_units_;
  std::shared_ptr<const cl::Buffer> a_, b_, products_, state_;
  std::vector<std::shared_ptr<const cl::Buffer>> notes_;
  Held held_a_, held_b_;
  EarlierKernels earlier_;
  std::vector<std::string_view> phases_;
};

/// A whole product on operands in the device's memory, enqueued and flushed, with the memory that
/// is `left`. Of `problem` the sizes, ops and scalars count; m, n, k >= 1. \throws DeviceError;
/// UnsuitedNumbers.
struct SubmittedIntegers {
  IntegerProduct product;
  cl::Event last;
};
SubmittedIntegers submit_integers(const TargetDevice& device, cl::Queue& queue,
                                  DeviceScratch& shared, const DeviceLimits& left,
                                  BuiltProgram& built, const GemmProblem& problem,
                                  const BoundInputs& inputs, const BoundOperand& c);
/// Once it has ended, by a read from the device. \throws UnsuitedNumbers.
void require_certified(cl::Queue& queue, const IntegerProduct& product);

}  // namespace duoblas
