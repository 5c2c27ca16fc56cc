// CLBlast as a peer, where libclblast.so.1 is installed.
#pragma once

#include <memory>
#include <string>

#include "bench/peer.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// CLBlast on a context and a queue, which has profiling; both outlive the peer. Null where the
/// library cannot be had: `why_not` then says why. Its kernels' parameters are those it has for the
/// device, or its defaults: nothing is tuned here. \throws DeviceError where OpenCL itself fails.
///
/// A call is CLBlast's whole routine: what it allocates and packs for each call counts, where the
/// device waits for it.
std::unique_ptr<Peer> make_clblast_peer(const cl::Context& context, cl::Queue& queue,
                                        std::string& why_not);

}  // namespace duoblas
