// The matrices of a level-3 call, registered for as long as this lives.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "memory/registered_memory.hpp"
#include "problem/host_rect.hpp"

namespace duoblas::test {

class RegisteredMatrices {
 public:
  explicit RegisteredMatrices(const Level3Problem& p) {
    enter(rect_of_a(p));
    if (has_b(p.routine)) enter(rect_of_b(p));
    enter(rect_of_c(p));
  }
  ~RegisteredMatrices() {
    for (const void* matrix : entered_) EXPECT_TRUE(leave_block(matrix, BlockOwner::program));
  }
  RegisteredMatrices(const RegisteredMatrices&) = delete;
  RegisteredMatrices& operator=(const RegisteredMatrices&) = delete;

 private:
  void enter(const HostRect& rect) {
    EXPECT_TRUE(enter_block(rect.data, rect.span(), BlockOwner::program));
    entered_.push_back(rect.data);
  }

  std::vector<const void*> entered_;
};

}  // namespace duoblas::test
