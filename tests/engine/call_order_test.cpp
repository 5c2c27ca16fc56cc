// The order of one hybrid call, from one log that the OpenCL layer and a recording CPU BLAS share.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/log_lines.hpp"
#include "conformance/forced_context.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

CaseFactors product_by(double beta) {
  CaseFactors factors;
  factors.m = 90;
  factors.n = 80;
  factors.k = 70;
  factors.beta = beta;
  return factors;
}

// Where the first line that begins with `start` is, from `from` on; the end where there is none.
std::size_t find_line(const std::vector<std::string>& lines, const std::string& start,
                      std::size_t from = 0) {
  while (from < lines.size() && lines[from].rfind(start, 0) != 0) ++from;
  return from;
}

TEST(HybridCall, EnqueuesFlushesRunsTheCpuBlasAndJoinsInThisOrder) {
  const TemporaryDirectory directory;
  const std::string log = directory / "calls";
  // Before the CPU BLAS is loaded: its namespace copies the environment then.
  ::setenv("DUOBLAS_LAYER_LOG", log.c_str(), 1);
  const LayerControl& layer = LayerControl::get();
  layer.log(nullptr);
  Settings settings = forced_settings();
  settings.cpu_blas = DUOBLAS_RECORDING_BLAS_PATH;
  Context context(settings);
  expect_right<double>(product_by(0), through<double>(context));  // opens, probes and compiles

  for (const double beta : {0.0, -0.7}) {
    std::ofstream(log, std::ios::trunc).close();
    layer.log(log.c_str());
    expect_right<double>(product_by(beta), through<double>(context));
    layer.log(nullptr);
    const auto lines = lines_of(log);
    const std::size_t end = lines.size();

    const std::size_t cpu_begin = find_line(lines, "cpu_gemm");
    ASSERT_LT(cpu_begin, end);
    const std::size_t cpu_end = find_line(lines, "cpu_gemm", cpu_begin + 1);
    ASSERT_LT(cpu_end, end);
    EXPECT_EQ(find_line(lines, "cpu_gemm", cpu_end + 1), end) << "the CPU BLAS ran once";

    // The last thing before the CPU BLAS is the flush, right behind the launch.
    ASSERT_GE(cpu_begin, 2u);
    EXPECT_EQ(lines[cpu_begin - 1], "clFlush");
    EXPECT_EQ(lines[cpu_begin - 2], "clEnqueueNDRangeKernel");
    EXPECT_EQ(find_line(lines, "clWaitForEvents"), find_line(lines, "clWaitForEvents", cpu_end))
        << "nothing was waited for before the CPU BLAS was done";
    EXPECT_EQ(find_line(lines, "clFinish"), find_line(lines, "clFinish", cpu_end));
    // Between begin and end there is nothing of OpenCL; after it, no launch.
    EXPECT_EQ(cpu_end, cpu_begin + 1);
    EXPECT_EQ(find_line(lines, "clEnqueueNDRangeKernel", cpu_end), end);
    EXPECT_EQ(find_line(lines, "clSetEventCallback"), end);
    for (const auto& line : lines) EXPECT_EQ(line.find("pfn_notify=SET"), std::string::npos);
  }
  ::unsetenv("DUOBLAS_LAYER_LOG");
}

}  // namespace
}  // namespace duoblas::test
