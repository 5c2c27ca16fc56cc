#include "os/arm_features.hpp"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace duoblas {

ArmFeatures arm_features() noexcept {
  ArmFeatures has;
#if defined(__aarch64__)
  const unsigned long first = ::getauxval(AT_HWCAP), second = ::getauxval(AT_HWCAP2);
  const auto all = [](unsigned long word, unsigned long bits) { return (word & bits) == bits; };
  has.neon = all(first, HWCAP_FP | HWCAP_ASIMD);
  has.v8_2 = has.neon && all(first, HWCAP_ATOMICS | HWCAP_ASIMDRDM | HWCAP_DCPOP);
  has.v8_4 = has.v8_2 && all(first, HWCAP_LRCPC | HWCAP_ILRCPC | HWCAP_USCAT | HWCAP_DIT |
                                        HWCAP_FLAGM | HWCAP_ASIMDDP);
  has.sve = has.neon && all(first, HWCAP_SVE);
  has.v9 = has.v8_4 && has.sve && all(first, HWCAP_SB) && all(second, HWCAP2_SVE2 | HWCAP2_BF16);
#endif
  return has;
}

}  // namespace duoblas
