// The caller's limit on the number of threads of a product, beside the limits of the process.
#pragma once

namespace duoblas {

/// Limits the calling thread's products in this scope; 0 changes nothing.
class ScopedThreadBound {
 public:
  explicit ScopedThreadBound(int threads) noexcept;
  ~ScopedThreadBound();
  ScopedThreadBound(const ScopedThreadBound&) = delete;
  ScopedThreadBound& operator=(const ScopedThreadBound&) = delete;

 private:
  const int before_;
};

/// The calling thread's limit now; 0: none.
int thread_bound() noexcept;

}  // namespace duoblas
