// DuoBLAS in C++17: everything a program needs.
#ifndef DUOBLAS_DUOBLAS_HPP
#define DUOBLAS_DUOBLAS_HPP

#include <duoblas/buffer.hpp>
#include <duoblas/context.hpp>
#include <duoblas/error.hpp>
#include <duoblas/gemm.hpp>
#include <duoblas/gemm_group.hpp>
#include <duoblas/job.hpp>
#include <duoblas/lapack.hpp>
#include <duoblas/level3.hpp>
#include <duoblas/prepared.hpp>
#include <duoblas/registration.hpp>
#include <duoblas/settings.hpp>
#include <duoblas/types.hpp>
#include <duoblas/vectors.hpp>

#endif
