// Operands of a product that its kernel reads through images.
#pragma once

#include <cstddef>

#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"

namespace duoblas {

/// Of an operand that was packed into `kept`. Where that is a part of a buffer the image is of all
/// up to the part's end, and the operand begins further on. \throws DeviceError.
cl::Image image_of_packed(const OpenedDevice& device, BoundOperand& operand, std::size_t bytes,
                          const ScratchBuffer& kept, Precision precision);

/// Makes the images of operands that the kernel reads so in place, where their rows are whole
/// pixels and the driver makes an image; else what is returned reads the buffer.
KernelParams with_images_in_place(const OpenedDevice& device, const GemmProblem& problem,
                                  KernelParams kernel, const ProductOperands& operands,
                                  ProductScratch& scratch);

}  // namespace duoblas
