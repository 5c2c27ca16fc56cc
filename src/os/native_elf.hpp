// The format of this system's programs and libraries, as files.
#pragma once

#include <elf.h>
#include <link.h>

namespace duoblas {

using ElfHeader = ElfW(Ehdr);
using ElfSegment = ElfW(Phdr);
using ElfTag = decltype(ElfW(Dyn)::d_tag);

inline constexpr int elf_class_here = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

#if defined(__x86_64__)
inline constexpr int elf_machine_here = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr int elf_machine_here = EM_AARCH64;
#elif defined(__riscv)
inline constexpr int elf_machine_here = EM_RISCV;
#elif defined(__powerpc64__)
inline constexpr int elf_machine_here = EM_PPC64;
#else
inline constexpr int elf_machine_here = EM_NONE;
#endif

}  // namespace duoblas
