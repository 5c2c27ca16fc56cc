#include "memory/copy_past_caches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace duoblas {

void copy_past_caches(void* to, const void* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  // A processor's prefetcher does not cross the end of a page.
  constexpr std::size_t ahead = 1024;
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(out) % line;
  const std::size_t head = over == 0 ? 0 : std::min(bytes, line - over);
  std::memcpy(out, in, head);
  std::size_t at = head;
  for (; at + line <= bytes; at += line) {
    _mm_prefetch(in + at + ahead, _MM_HINT_T0);
    for (std::size_t part = 0; part < line; part += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + at + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + at + part)));
  }
  std::memcpy(out + at, in + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

void end_copies_past_caches() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace duoblas
