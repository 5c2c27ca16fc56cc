// A queue of a program's, with a DeviceBlas on it, over the layer.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include <duoblas/opencl.hpp>

#include "cl_layer/layer_control.hpp"
#include "opencl/handles.hpp"
#include "support/gemm_case.hpp"

namespace duoblas::test {

struct DeviceBlasTest : testing::Test {
  const LayerControl& layer = LayerControl::get();
  cl::Context context{cl::list_devices().at(0)};
  cl::Queue queue{context};
  Settings settings;  // nothing is read from the environment or from disk
  std::optional<DeviceBlas> blas{std::in_place, raw(queue), settings};

  static _cl_command_queue* raw(const cl::Queue& queue) {
    return static_cast<_cl_command_queue*>(queue.raw());
  }
  static _cl_mem* raw(const cl::Buffer& buffer) { return static_cast<_cl_mem*>(buffer.raw()); }

  /// All of a matrix's memory, guards included, with `before` bytes in front of it.
  template <typename T>
  cl::Buffer upload(const T* data, std::size_t elements, std::size_t before) {
    cl::Buffer buffer = context.allocate((before + elements) * sizeof(T), cl::Access::read_write);
    const std::size_t bytes = elements * sizeof(T);
    queue.write(buffer, data, {1, bytes, bytes, bytes, before * sizeof(T)}, true);
    return buffer;
  }
  template <typename T>
  void download(const cl::Buffer& buffer, T* data, std::size_t elements, std::size_t before) {
    const std::size_t bytes = elements * sizeof(T);
    queue.read(buffer, data, {1, bytes, bytes, bytes, before * sizeof(T)});
  }

  template <typename T>
  Front<T> on_device(std::int64_t offset) {
    return [this, offset](const Call<T>& g, T* c, std::int64_t ldc) {
      const bool rows = g.layout == Layout::row_major;
      const auto lines = [&](std::int64_t m, std::int64_t n, Op op) {
        return (op == Op::none) == rows ? m : n;
      };
      const auto extent = [&](std::int64_t count, std::int64_t length, std::int64_t ld) {
        return static_cast<std::size_t>((count - 1) * ld + length);
      };
      const auto before = static_cast<std::size_t>(offset);
      const std::size_t of_a = extent(lines(g.m, g.k, g.op_a), lines(g.k, g.m, g.op_a), g.lda);
      const std::size_t of_b = extent(lines(g.k, g.n, g.op_b), lines(g.n, g.k, g.op_b), g.ldb);
      const std::size_t of_c = extent(lines(g.m, g.n, Op::none), lines(g.n, g.m, Op::none), ldc);
      const cl::Buffer a = upload(g.a, of_a, before), b = upload(g.b, of_b, before),
                       result = upload(c, of_c, before);
      blas->gemm<T>(g.layout, g.op_a, g.op_b, g.m, g.n, g.k, g.alpha, {raw(a), offset, g.lda},
                    {raw(b), offset, g.ldb}, g.beta, {raw(result), offset, ldc});
      download(result, c, of_c, before);
    };
  }

  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.reset();
    blas.reset();
    queue.reset();
    context.reset();
    EXPECT_EQ(layer.live_objects(), 0);
  }
};

// n x n matrices of one value.
struct Squares {
  Squares(DeviceBlasTest& test, std::int64_t n)
      : n(n),
        ones(static_cast<std::size_t>(n * n), 1),
        a(test.upload(ones.data(), ones.size(), 0)),
        b(test.upload(ones.data(), ones.size(), 0)),
        c(test.upload(ones.data(), ones.size(), 0)) {}
  void multiply(DeviceBlas& blas, const DeviceEvents& events = {}) const {
    using Test = DeviceBlasTest;
    blas.gemm<float>(Layout::row_major, Op::none, Op::none, n, n, n, 1, {Test::raw(a), 0, n},
                     {Test::raw(b), 0, n}, 0, {Test::raw(c), 0, n}, events);
  }
  bool is_right(DeviceBlasTest& test) const {
    std::vector<float> result(ones.size());
    test.download(c, result.data(), result.size(), 0);
    return result == std::vector<float>(ones.size(), static_cast<float>(n));
  }
  std::int64_t n;
  std::vector<float> ones;
  cl::Buffer a, b, c;
};

}  // namespace duoblas::test
