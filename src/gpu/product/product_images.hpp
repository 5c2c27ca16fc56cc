// Images through which a product's kernel reads its operands.
#pragma once

#include <cstddef>

#include "gpu/device/device_scratch.hpp"
#include "gpu/kernels/target_device.hpp"
#include "gpu/product/product.hpp"

namespace duoblas {

/// The image of an operand that was packed into `kept`. If `kept` is a part of a buffer, the image
/// covers the buffer up to the part's end, and the operand begins further on. \throws DeviceError.
cl::Image image_of_packed(const TargetDevice& device, BoundOperand& operand, std::size_t bytes,
                          const ScratchBuffer& kept, Precision precision);

/// Makes the images of operands that the kernel reads in place, if their rows are whole pixels and
/// the driver makes an image. Otherwise the returned kernel reads the buffer.
KernelParams with_images_in_place(const TargetDevice& device, const GemmProblem& problem,
                                  KernelParams kernel, const ProductOperands& operands,
                                  ProductScratch& scratch);

}  // namespace duoblas
