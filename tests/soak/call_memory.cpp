#include "soak/call_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include <duoblas/duoblas.h>

#include "os/page_block.hpp"
#include "problem/precision.hpp"

namespace duoblas::soak {
namespace {

constexpr std::size_t margin = 128;  // bytes on both sides that must stay
constexpr std::size_t boundary = 64;
std::byte* map_file(std::size_t bytes) {
  const int file = ::memfd_create("duoblas_soak", MFD_CLOEXEC);
  if (file < 0) throw std::bad_alloc();
  void* memory = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes)) == 0)
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

// A quiet NaN with a payload that no arithmetic gives. Bytes are compared with what they were, so
// that a gap which was written shows, and one which was read gives NaN.
void fill_with_nan(std::span<std::byte> memory, Precision precision) {
  const std::uint64_t pattern = is_double(precision) ? 0x7ff8a5a5c3c3b4b4u : 0x7fc5a5c37fc5a5c3u;
  std::size_t at = 0;
  for (; at + sizeof pattern <= memory.size(); at += sizeof pattern)
    std::memcpy(memory.data() + at, &pattern, sizeof pattern);
  std::memcpy(memory.data() + at, &pattern, memory.size() - at);
}

struct Sizes {
  std::array<Place, 3> place;             // no memory yet
  std::array<std::size_t, 3> begin = {};  // bytes from the memory's, margin not counted
  std::size_t bytes = 0;                  // of all of it, where it is one
};

std::size_t span_bytes(const Place& p, std::size_t element) {
  if (p.lines == 0 || p.length == 0) return 0;
  return static_cast<std::size_t>((p.lines - 1) * p.ld + p.length) * element;
}

void lay_adjacent(const SoakCall& call, std::size_t element, Sizes& sizes) {
  for (std::size_t i = 0; i < 3; ++i) {
    sizes.begin[i] = sizes.bytes + static_cast<std::size_t>(call.offset[i]) * element;
    sizes.bytes = sizes.begin[i] + span_bytes(sizes.place[i], element);
  }
}

void lay_interleaved(const SoakCall& call, std::size_t element, Sizes& sizes) {
  std::int64_t column = 0, lines = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    sizes.begin[i] = static_cast<std::size_t>(call.offset[0] + column) * element;
    column += sizes.place[i].length + call.pad[i];
    lines = std::max(lines, sizes.place[i].lines);
  }
  for (Place& p : sizes.place) p.ld = std::max<std::int64_t>(1, column);
  sizes.bytes = static_cast<std::size_t>(call.offset[0] + lines * column) * element;
}

}  // namespace

MemoryBlock::~MemoryBlock() {
  free();
}

void MemoryBlock::free() {
  if (data_ == nullptr) return;
  if (home_ == Home::library)
    duoblas_free(data_);
  else if (home_ == Home::mapped)
    ::munmap(data_, capacity_);
  else
    ::operator delete(data_, std::align_val_t(boundary));
  data_ = nullptr;
}

std::span<std::byte> MemoryBlock::reserve(std::size_t bytes) {
  if (bytes > capacity_) {
    free();
    capacity_ = 0;
    const std::size_t wanted = in_whole_pages(bytes + bytes / 2);
    if (home_ == Home::library)
      data_ = static_cast<std::byte*>(duoblas_malloc(wanted));
    else if (home_ == Home::mapped)
      data_ = map_file(wanted);
    else
      data_ = static_cast<std::byte*>(::operator new(wanted, std::align_val_t(boundary)));
    if (data_ == nullptr) throw std::bad_alloc();
    capacity_ = wanted;
  }
  return {data_, bytes};
}

void MemoryBlock::forbid_writing(bool forbidden) {
  if (home_ != Home::mapped || data_ == nullptr) return;
  ::mprotect(data_, capacity_, forbidden ? PROT_READ : PROT_READ | PROT_WRITE);
}

CallMemory::CallMemory() {
  for (const Home home : {Home::heap, Home::library, Home::registered, Home::mapped})
    for (int operand = 0; operand < 3; ++operand)
      blocks_.push_back(std::make_unique<MemoryBlock>(home));
}

MemoryBlock& CallMemory::block(Home home, std::size_t operand) {
  return *blocks_[static_cast<std::size_t>(home) * 3 + operand];
}

PlacedOperands CallMemory::place(const SoakCall& call) {
  const std::size_t element = element_size(call.precision);
  const bool by_rows = call.layout == Layout::row_major;
  Sizes sizes;
  for (std::size_t i = 0; i < 3; ++i) {
    const StoredShape s = call.stored(static_cast<int>(i));
    Place& p = sizes.place[i];
    p.lines = by_rows ? s.rows : s.cols;
    p.length = by_rows ? s.cols : s.rows;
    p.ld = std::max<std::int64_t>(1, p.length + call.pad[i]);
  }
  PlacedOperands placed;
  const auto take = [&](MemoryBlock& from, std::size_t bytes) {
    const auto memory = from.reserve(bytes + 2 * margin);
    fill_with_nan(memory, call.precision);
    placed.memory.push_back(memory);
    return memory.data() + margin;
  };
  if (call.arrangement == Arrangement::separate) {
    for (std::size_t i = 0; i < 3; ++i) {
      Place& p = sizes.place[i];
      const auto offset = static_cast<std::size_t>(call.offset[i]) * element;
      p.first = take(block(call.home, i), offset + span_bytes(p, element)) + offset;
      if (i < 2) placed.only_read.push_back(&block(call.home, i));
    }
  } else {
    call.arrangement == Arrangement::adjacent ? lay_adjacent(call, element, sizes)
                                              : lay_interleaved(call, element, sizes);
    std::byte* const memory = take(block(call.home, 2), sizes.bytes);
    for (std::size_t i = 0; i < 3; ++i) sizes.place[i].first = memory + sizes.begin[i];
  }
  placed.place = sizes.place;
  if (call.b_is_a) placed.place[1] = placed.place[0];
  return placed;
}

}  // namespace duoblas::soak
