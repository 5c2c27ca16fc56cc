#include "os/symbol_redirection.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace duoblas {
namespace {

// What the dynamic section says. The loader has turned its addresses into pointers, if it could
// write to it.
class DynamicSection {
 public:
  explicit DynamicSection(const link_map& object) : object_(object) {}

  ElfW(Addr) value(ElfW(Sxword) tag) const {
    for (const ElfW(Dyn)* entry = object_.l_ld; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == tag) return entry->d_un.d_val;
    return 0;
  }
  template <typename T>
  T* table(ElfW(Sxword) tag) const {
    const ElfW(Addr) address = value(tag);
    if (address == 0) return nullptr;
    return reinterpret_cast<T*>(address < object_.l_addr ? object_.l_addr + address : address);
  }

 private:
  const link_map& object_;
};

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

// The protection that the loader gave to memory of an object.
int protection_of(const link_map& object, ElfW(Addr) address) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(object.l_addr);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(object.l_addr + header->e_phoff);
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  const ElfW(Addr) at = address - object.l_addr;
  int protection = PROT_READ;
  bool is_relocated_only = false;
  for (int i = 0; i < header->e_phnum; ++i) {
    const ElfW(Phdr)& segment = segments[i];
    const ElfW(Addr) end = segment.p_vaddr + segment.p_memsz;
    if (segment.p_type == PT_LOAD && at >= segment.p_vaddr && at < end) {
      if ((segment.p_flags & PF_W) != 0) protection |= PROT_WRITE;
      if ((segment.p_flags & PF_X) != 0) protection |= PROT_EXEC;
    }
    if (segment.p_type == PT_GNU_RELRO)
      is_relocated_only |= at >= segment.p_vaddr && at < end / page * page;
  }
  return is_relocated_only ? protection & ~PROT_WRITE : protection;
}

bool store(const link_map& object, ElfW(Addr) * place, ElfW(Addr) value) {
  const auto address = reinterpret_cast<ElfW(Addr)>(place);
  const int protection = protection_of(object, address);
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  void* const first = reinterpret_cast<void*>(address / page * page);
  const bool is_writable = (protection & PROT_WRITE) != 0;
  if (!is_writable && ::mprotect(first, page, PROT_READ | PROT_WRITE) != 0) return false;
  *place = value;
  return is_writable || ::mprotect(first, page, protection) == 0;
}

// The number behind a place that the loader binds to a function. On x86-64 it is no part of the
// address, and ld may keep a place of the procedure linkage table in it (-z mark-plt, in Ubuntu's
// libc), which the loader ignores, too.
ElfW(Addr) addend_of(const ElfW(Rela) & relocation) {
#if defined(__x86_64__) && defined(__LP64__)
  const auto type = ELF64_R_TYPE(relocation.r_info);
  if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) return 0;
#endif
  return static_cast<ElfW(Addr)>(relocation.r_addend);
}

class Redirector {
 public:
  explicit Redirector(const link_map& object)
      : object_(object),
        section_(object),
        symbols_(section_.table<ElfW(Sym)>(DT_SYMTAB)),
        names_(section_.table<const char>(DT_STRTAB)),
        hashes_(section_.table<const std::uint32_t>(DT_GNU_HASH)) {}

  bool can_read() const {
    return symbols_ != nullptr && names_ != nullptr && hashes_ != nullptr &&
           std::memcmp(reinterpret_cast<const void*>(object_.l_addr), ELFMAG, SELFMAG) == 0;
  }

  // How many versions of the symbol were changed; -1: the memory could not be.
  int redirect(const Redirection& to) {
    const std::uint32_t hash = gnu_hash(to.name);
    const std::uint32_t buckets = hashes_[0];
    const std::uint32_t first_symbol = hashes_[1];
    const std::uint32_t bloom_words = hashes_[2];
    const auto* bucket = hashes_ + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
    const auto* chain = bucket + buckets;
    const std::uint32_t first = bucket[hash % buckets];
    if (first < first_symbol) return 0;
    int changed = 0;
    for (std::uint32_t i = first;; ++i) {
      const std::uint32_t of_symbol = chain[i - first_symbol];
      ElfW(Sym)& symbol = symbols_[i];
      if ((of_symbol | 1U) == (hash | 1U) && symbol.st_shndx != SHN_UNDEF &&
          std::strcmp(names_ + symbol.st_name, to.name) == 0) {
        const auto target = reinterpret_cast<ElfW(Addr)>(to.target);
        if (!store(object_, &symbol.st_value, target - object_.l_addr)) return -1;
        ++changed;
      }
      if ((of_symbol & 1U) != 0) return changed;
    }
  }

  // References of the object itself, once its symbols are redirected.
  bool redirect_references(std::span<const Redirection> redirections) {
    return redirect_references(DT_RELA, DT_RELASZ, redirections) &&
           redirect_references(DT_JMPREL, DT_PLTRELSZ, redirections);
  }

 private:
  bool redirect_references(ElfW(Sxword) table, ElfW(Sxword) size,
                           std::span<const Redirection> redirections) {
    const auto* relocation = section_.table<const ElfW(Rela)>(table);
    if (relocation == nullptr) return true;
    const auto* const end = relocation + section_.value(size) / sizeof(ElfW(Rela));
    for (; relocation != end; ++relocation) {
      // As in the macros ELF64_R_SYM and ELF32_R_SYM.
      const auto index = relocation->r_info >> (sizeof(ElfW(Addr)) == 8 ? 32 : 8);
      if (index == 0) continue;
      for (const Redirection& to : redirections) {
        if (std::strcmp(names_ + symbols_[index].st_name, to.name) != 0) continue;
        const auto value = reinterpret_cast<ElfW(Addr)>(to.target) + addend_of(*relocation);
        auto* place = reinterpret_cast<ElfW(Addr)*>(object_.l_addr + relocation->r_offset);
        if (!store(object_, place, value)) return false;
      }
    }
    return true;
  }

  const link_map& object_;
  const DynamicSection section_;
  ElfW(Sym) * const symbols_;
  const char* const names_;
  const std::uint32_t* const hashes_;
};

}  // namespace

std::string redirect_symbols(const link_map& object, std::span<const Redirection> redirections) {
  const std::string library = object.l_name;
  Redirector redirector(object);
  if (!redirector.can_read()) return "the symbols of " + library + " cannot be read";
  const auto not_writable = [&library] {
    return "the symbols of " + library + " cannot be changed: " + std::strerror(errno);
  };
  for (const Redirection& to : redirections) {
    const int changed = redirector.redirect(to);
    if (changed < 0) return not_writable();
    if (changed == 0 && to.required) return library + " does not define " + to.name;
  }
  return redirector.redirect_references(redirections) ? "" : not_writable();
}

}  // namespace duoblas
