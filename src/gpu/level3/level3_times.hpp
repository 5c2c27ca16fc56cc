// The time of a level-3 job, by stage.
#pragma once

namespace duoblas {

/// Seconds. The times overlap: transfers, kernels and the host's copies run at the same time.
struct Level3Times {
  double whole = 0;  ///< from its start to its end
  double sent = 0;   ///< from its start until the host had enqueued the last step
  /// In these the job's thread copied to or from page-locked memory or lines apart, or waited for
  /// threads that did.
  double operand_copies = 0, result_copies = 0;
  double blocks = 0;   ///< the host's work on diagonal blocks
  double kernels = 0;  ///< the device's products, by its timestamps; 0: it keeps none
  double packing = 0;  ///< its other kernels, likewise

  Level3Times& operator+=(const Level3Times& other) {
    whole += other.whole;
    sent += other.sent;
    operand_copies += other.operand_copies;
    result_copies += other.result_copies;
    blocks += other.blocks;
    kernels += other.kernels;
    packing += other.packing;
    return *this;
  }
};

}  // namespace duoblas
