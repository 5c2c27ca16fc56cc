#include "gpu/product/product_images.hpp"

#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/operand_image.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

cl::Image image_of_packed(const TargetDevice& device, BoundOperand& operand, std::size_t bytes,
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

KernelParams with_images_in_place(const TargetDevice& device, const GemmProblem& problem,
                                  KernelParams kernel, const ProductOperands& operands,
                                  ProductScratch& scratch) {
  const bool whole = rows_of(problem, kernel) == Rows::whole;
  const auto make = [&](bool& is_image, bool packed, const BoundOperand& operand, bool aligned,
                        StoredShape shape, cl::Image& kept) {
    if (!is_image || packed) return;
    is_image = false;
    // A kernel must not read memory through an image that it writes.
    const bool written =
        operands.c.buffer && operand.buffer && operands.c.buffer->raw() == operand.buffer->raw();
    if (!whole || !aligned || written) return;
    auto image = image_in_place(device, operand, shape.rows, shape.cols, problem.precision);
    if (!image) return;
    is_image = true;
    kept = std::move(*image);
  };
  make(kernel.image_a, packs_a(kernel, problem.op_a), operands.a, operands.aligned_a,
       {stored_rows_a(problem), stored_cols_a(problem)}, scratch.image_a);
  make(kernel.image_b, packs_b(kernel, problem.op_b), operands.b, operands.aligned_b,
       {stored_rows_b(problem), stored_cols_b(problem)}, scratch.image_b);
  return kernel;
}

}  // namespace duoblas
