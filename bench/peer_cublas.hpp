// cuBLAS as a peer, where a CUDA runtime, cuBLAS and an NVIDIA GPU are at hand.
#pragma once

#include <memory>
#include <string>

#include "bench/peer.hpp"

namespace duoblas {

/// cuBLAS on CUDA's device 0 (choose another by CUDA_VISIBLE_DEVICES), with its own default stream.
/// Null where it cannot be had: `why_not` then says why.
///
/// The math mode is CUBLAS_DEFAULT_MATH: products of float are computed in float, never in TF32,
/// and those of double may use the double-precision matrix units. (An environment that asks cuBLAS
/// for emulation, with CUBLAS_EMULATE_SINGLE_PRECISION and the like, would change that.)
std::unique_ptr<Peer> make_cublas_peer(std::string& why_not);

}  // namespace duoblas
