// The operands of one product in a program's memory.
#pragma once

#include <vector>

#include "bench/peer.hpp"
#include "memory/registered_memory.hpp"

namespace duoblas {

/// In ordinary memory; registered from the constructor to the destructor where that is wanted.
struct HostMatrices {
  HostMatrices(const PeerProblem& shape, bool registered)
      : memory(shape), problem(as_gemm(shape)), is_registered(registered) {
    problem.alpha = 1;
    problem.a = memory.a.data();
    problem.b = memory.b.data();
    problem.c = memory.c.data();
    for (std::vector<char>* matrix : all())
      if (registered) enter_block(matrix->data(), matrix->size(), BlockOwner::program);
  }
  ~HostMatrices() {
    for (std::vector<char>* matrix : all())
      if (is_registered) leave_block(matrix->data(), BlockOwner::program);
  }
  HostMatrices(const HostMatrices&) = delete;
  HostMatrices& operator=(const HostMatrices&) = delete;

  std::vector<std::vector<char>*> all() { return {&memory.a, &memory.b, &memory.c}; }

  PeerOperands memory;
  GemmProblem problem;  ///< alpha = 1, beta = 0
  bool is_registered;
};

}  // namespace duoblas
