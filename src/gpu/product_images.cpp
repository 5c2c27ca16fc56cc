#include "gpu/product_images.hpp"

#include <optional>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/operand_image.hpp"

namespace duoblas {

cl::Image image_of_packed(const OpenedDevice& device, BoundOperand& operand, std::size_t bytes,
                          const ScratchBuffer& kept, Precision precision) {
  constexpr std::size_t pixel_bytes = 16;
  const ScratchBuffer::Whole* whole = kept.whole_of(operand.buffer);
  if (whole != nullptr) operand.offset_bytes = whole->offset;
  const std::size_t pixels = (operand.offset_bytes + bytes) / pixel_bytes;
  if (pixels > device.limits.max_image_pixels)
    throw DeviceError("a packed operand of " + std::to_string(bytes) +
                      " bytes is larger than an image can be; the CPU has to do it");
  return device.context.image_over(whole != nullptr ? *whole->buffer : *operand.buffer, pixels,
                                   is_double(precision) ? cl::Pixel::uint4 : cl::Pixel::float4);
}

KernelParams with_images_in_place(const OpenedDevice& device, const GemmProblem& problem,
                                  KernelParams kernel, const ProductOperands& operands,
                                  ProductScratch& scratch) {
  const bool whole = rows_of(problem, kernel) == Rows::whole;
  if (kernel.image_a && !packs_a(kernel, problem.op_a)) {
    std::optional<cl::Image> image;
    if (whole && operands.aligned_a)
      image = image_in_place(device, operands.a, stored_rows_a(problem), stored_cols_a(problem),
                             problem.precision);
    kernel.image_a = image.has_value();
    if (image) scratch.image_a = std::move(*image);
  }
  if (kernel.image_b && !packs_b(kernel, problem.op_b)) {
    std::optional<cl::Image> image;
    if (whole && operands.aligned_b)
      image = image_in_place(device, operands.b, stored_rows_b(problem), stored_cols_b(problem),
                             problem.precision);
    kernel.image_b = image.has_value();
    if (image) scratch.image_b = std::move(*image);
  }
  return kernel;
}

}  // namespace duoblas
