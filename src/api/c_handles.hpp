// What the pointers of C programs to jobs, prepared matrices and queues point to.
#pragma once

#include <complex>
#include <variant>

#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <duoblas/job.hpp>
#include <duoblas/opencl.hpp>
#include <duoblas/prepared.hpp>

struct duoblas_job {
  static constexpr const char* name = "job";  // of the argument that gets it
  duoblas::Job object;
};

struct duoblas_prepared {
  static constexpr const char* name = "prepared";
  std::variant<duoblas::Prepared<float>, duoblas::Prepared<double>,
               duoblas::Prepared<std::complex<float>>, duoblas::Prepared<std::complex<double>>>
      object;
};

struct duoblas_device_blas {
  duoblas::DeviceBlas object;
};
