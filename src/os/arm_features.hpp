// What an Arm processor has, and the kernel lets programs use.
#pragma once

namespace duoblas {

/// All false on other processors.
struct ArmFeatures {
  bool neon = false;  ///< with doubles: every 64-bit Arm
  bool v8_2 = false;  ///< the instructions of Armv8.2 that compilers use, such as atomics
  bool v8_4 = false;
  bool sve = false;
  bool v9 = false;  ///< Armv8.5 with SVE2 and bf16
};
ArmFeatures arm_features() noexcept;

}  // namespace duoblas
