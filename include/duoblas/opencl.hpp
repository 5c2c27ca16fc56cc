// Products of matrices in a program's own OpenCL buffers, on its own queue, by the GPU alone.
#ifndef DUOBLAS_OPENCL_HPP
#define DUOBLAS_OPENCL_HPP

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include <duoblas/context.hpp>

// The targets of cl_command_queue, cl_mem and cl_event: <CL/cl.h> is not needed here.
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;

namespace duoblas {

/// A matrix in a buffer, which begins `offset` elements from the buffer's start; `ld` is its
/// leading dimension, in elements.
struct DeviceMatrix {
  _cl_mem* buffer = nullptr;
  std::int64_t offset = 0;
  std::int64_t ld = 0;
};

/// Matrices of one shape in one buffer, each at an offset of its own.
struct DeviceMatrices {
  _cl_mem* buffer = nullptr;
  std::vector<std::int64_t> offsets = {};
  std::int64_t ld = 0;
};

/// A vector in a buffer. `offset` is the distance in elements from the buffer's start to the
/// pointer that BLAS would get; `increment` is the distance between elements.
struct DeviceVector {
  _cl_mem* buffer = nullptr;
  std::int64_t offset = 0;
  std::int64_t increment = 1;
};

/// Events as in OpenCL. The product starts after those of `after`, whose queues are flushed. If
/// done is not null, `*done` becomes an event of the product, which the caller releases.
struct DeviceEvents {
  std::vector<_cl_event*> after = {};
  _cl_event** done = nullptr;
};

/// The program's own device memory: `bytes` of a buffer that kernels can read and write, from byte
/// `offset` on. `offset` is a multiple of the device's CL_DEVICE_MEM_BASE_ADDR_ALIGN.
struct DeviceWorkspace {
  _cl_mem* buffer = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Kernels for one queue of the program, with memory for packed operands. They are compiled for the
/// queue's context at the first product that needs them. They are those that `duoblas tune` found
/// for the device, or for one like it; else the built-in ones. Any number of threads may use one.
class DUOBLAS_API DeviceBlas {
 public:
  /// Keeps references to the queue and its context. Probes the device on this queue, so it waits
  /// for the commands that the queue holds already. \throws DeviceError if the queue is out of
  /// order, or is no queue, or in a child that was forked from a process that used DuoBLAS;
  /// SettingError.
  explicit DeviceBlas(_cl_command_queue* queue,
                      const Settings& settings = Settings::from_environment());
  ~DeviceBlas();
  DeviceBlas(DeviceBlas&&) noexcept;
  DeviceBlas& operator=(DeviceBlas&&) noexcept;

  /// C = alpha op(A) op(B) + beta C, like Context::gemm, enqueued and flushed. It waits for nothing
  /// except the compiler and, before a kernel's first use, for the kernel's trial on small products
  /// (Settings::check). A, B and C are in buffers of the queue's context; C overlaps neither A nor
  /// B. \throws ArgumentError with gemm's positions (a 8, lda 9, b 10, ldb 11, c 13, ldc 14), and
  /// then nothing was enqueued; DeviceError.
  template <typename T>
  void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            Scalar<T> alpha, const DeviceMatrix& a, const DeviceMatrix& b, Scalar<T> beta,
            const DeviceMatrix& c, const DeviceEvents& events = {});

  /// The bytes of device memory that gemm of these sizes takes beside A, B and C: for packed
  /// operands, partial sums of a split k and zeros, whatever alpha and beta are; 0: none. Waits for
  /// nothing. If a kernel is wrong, or the driver refuses it, its replacement may take more.
  /// \throws ArgumentError with gemm's positions; DeviceError if the sizes are too large for a
  /// device.
  template <typename T>
  std::int64_t workspace_bytes(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                               std::int64_t k) const;
  /// The same for gemv with this incx: for the sums of a long dimension's slices, an x without gaps
  /// and zeros, whatever alpha, beta and incy are. \throws ArgumentError with positions 1 to 5;
  /// DeviceError if the sizes are too large for a device.
  template <typename T>
  std::int64_t gemv_workspace_bytes(Layout layout, Op op, std::int64_t m, std::int64_t n,
                                    std::int64_t incx = 1) const;

  /// From now on gemm and gemv use this memory instead of memory of the library's own, which is
  /// released. They allocate nothing more, except for a kernel's trial before its first use. A
  /// reference to the buffer is kept until the next call of this. Without a buffer, the library
  /// allocates memory itself again, as at first.
  ///
  /// If a call needs more, it throws SettingError before it enqueues anything; the message says how
  /// much. Batches use the library's own memory. Calls of one DeviceBlas use the memory one after
  /// another, in the order of their queue. Before other queues' products or commands use this
  /// memory, those of this queue must have ended (DeviceEvents).
  ///
  /// \throws ArgumentError (buffer 2, offset 3, bytes 4) if the memory is of another context,
  /// begins at another offset than allowed, ends beyond the buffer's end, or cannot be read and
  /// written; then nothing has changed. DeviceError.
  void set_workspace(const DeviceWorkspace& workspace);
  /// Many products, like Context::gemm_strided_batched, in as few launches as the device allows (up
  /// to 65535 products in one; fewer if launches are bounded). Given are the first product's
  /// matrices, and the distance in elements to the next product's. stride_a and stride_b may be 0.
  /// \throws ArgumentError with its positions; DeviceError.
  template <typename T>
  void gemm_strided_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                            std::int64_t k, Scalar<T> alpha, const DeviceMatrix& a,
                            std::int64_t stride_a, const DeviceMatrix& b, std::int64_t stride_b,
                            Scalar<T> beta, const DeviceMatrix& c, std::int64_t stride_c,
                            std::int64_t count, const DeviceEvents& events = {});

  /// The same with a list of offsets per operand, all of one length. The lists are used only until
  /// the return. \throws ArgumentError with the positions of Context::gemm_batched; DeviceError.
  template <typename T>
  void gemm_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                    Scalar<T> alpha, const DeviceMatrices& a, const DeviceMatrices& b,
                    Scalar<T> beta, const DeviceMatrices& c, const DeviceEvents& events = {});

  /// y = alpha op(A) x + beta y, like Context::gemv, enqueued like gemm. A is read once. \throws
  /// ArgumentError with gemv's positions (a 6, lda 7, x 8, incx 9, y 11, incy 12); SettingError if
  /// the workspace is too small; DeviceError.
  template <typename T>
  void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
            const DeviceMatrix& a, const DeviceVector& x, Scalar<T> beta, const DeviceVector& y,
            const DeviceEvents& events = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

#define DUOBLAS_DEVICE_GEMM_OF(T)                                                                 \
  extern template DUOBLAS_API void DeviceBlas::gemm<T>(                                           \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const DeviceMatrix&,   \
      const DeviceMatrix&, Scalar<T>, const DeviceMatrix&, const DeviceEvents&);                  \
  extern template DUOBLAS_API void DeviceBlas::gemm_strided_batched<T>(                           \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const DeviceMatrix&,   \
      std::int64_t, const DeviceMatrix&, std::int64_t, Scalar<T>, const DeviceMatrix&,            \
      std::int64_t, std::int64_t, const DeviceEvents&);                                           \
  extern template DUOBLAS_API void DeviceBlas::gemm_batched<T>(                                   \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const DeviceMatrices&, \
      const DeviceMatrices&, Scalar<T>, const DeviceMatrices&, const DeviceEvents&)
#define DUOBLAS_DEVICE_VECTORS_OF(T)                                                               \
  extern template DUOBLAS_API void DeviceBlas::gemv<T>(                                            \
      Layout, Op, std::int64_t, std::int64_t, Scalar<T>, const DeviceMatrix&, const DeviceVector&, \
      Scalar<T>, const DeviceVector&, const DeviceEvents&)
DUOBLAS_DEVICE_VECTORS_OF(float);
DUOBLAS_DEVICE_VECTORS_OF(double);
DUOBLAS_DEVICE_VECTORS_OF(std::complex<float>);
DUOBLAS_DEVICE_VECTORS_OF(std::complex<double>);
#undef DUOBLAS_DEVICE_VECTORS_OF
#define DUOBLAS_WORKSPACE_BYTES_OF(T)                                           \
  extern template DUOBLAS_API std::int64_t DeviceBlas::workspace_bytes<T>(      \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t) const;          \
  extern template DUOBLAS_API std::int64_t DeviceBlas::gemv_workspace_bytes<T>( \
      Layout, Op, std::int64_t, std::int64_t, std::int64_t) const
DUOBLAS_DEVICE_GEMM_OF(float);
DUOBLAS_DEVICE_GEMM_OF(double);
DUOBLAS_DEVICE_GEMM_OF(std::complex<float>);
DUOBLAS_DEVICE_GEMM_OF(std::complex<double>);
DUOBLAS_WORKSPACE_BYTES_OF(float);
DUOBLAS_WORKSPACE_BYTES_OF(double);
DUOBLAS_WORKSPACE_BYTES_OF(std::complex<float>);
DUOBLAS_WORKSPACE_BYTES_OF(std::complex<double>);
#undef DUOBLAS_WORKSPACE_BYTES_OF
#undef DUOBLAS_DEVICE_GEMM_OF

}  // namespace duoblas

#endif
