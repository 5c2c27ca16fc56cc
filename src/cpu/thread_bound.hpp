// How many threads the caller of a product allows: an upper bound beside the limits of the process.
#pragma once

namespace duoblas {

/// Of the calling thread's products in this scope; 0 changes nothing.
class ScopedThreadBound {
 public:
  explicit ScopedThreadBound(int threads) noexcept;
  ~ScopedThreadBound();
  ScopedThreadBound(const ScopedThreadBound&) = delete;
  ScopedThreadBound& operator=(const ScopedThreadBound&) = delete;

 private:
  const int before_;
};

/// Of the calling thread now; 0: none.
int thread_bound() noexcept;

}  // namespace duoblas
