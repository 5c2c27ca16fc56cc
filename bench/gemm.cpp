// Matrix products: kernels and other libraries on the device, whole calls from a program's memory,
// batches, plans.
#include "bench/gemm_cases.hpp"

int main(int argc, char** argv) {
  using namespace duoblas;
  return bench_main("bench_gemm", {device_case(), batch_case(), host_case(), shapes_case()}, argc,
                    argv);
}
