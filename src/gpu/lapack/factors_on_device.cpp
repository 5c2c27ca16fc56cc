#include "gpu/lapack/factors_on_device.hpp"

#include <vector>

#include "gpu/lapack/cholesky_on_device.hpp"
#include "gpu/lapack/panels_on_device.hpp"
#include "gpu/lapack/row_exchange.hpp"
#include "gpu/lapack/solve_on_device.hpp"
#include "problem/adjoint.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

std::unique_ptr<FactorsOnDevice> make_factors(const std::shared_ptr<OpenedDevice>& device,
                                              const LapackProblem& p, const KernelParams& kernel,
                                              std::int64_t width) {
  if (p.routine == LapackRoutine::potrf)
    return std::make_unique<CholeskyOnDevice>(device, p, kernel, width);
  if (solves(p.routine)) return std::make_unique<SolveOnDevice>(device, p, kernel, width);
  if (is_orthogonal(p.routine)) return make_qr(device, p, kernel, width);
  return make_lu(device, p, kernel, width);
}

namespace {

void add_unless_empty(std::vector<GemmProblem>& products, const GemmProblem& product,
                      const KernelParams& kernel) {
  if (product.n > 0 && product.k > 0) add_if_other_kernel(products, product, kernel);
}

}  // namespace

std::vector<GemmProblem> products_by_kernel(const LapackProblem& p, const KernelParams& kernel,
                                            std::int64_t width) {
  GemmProblem product = product_of(p.precision, p.n, rows_of_matrix(p), width, -1, 1);
  const bool is_cholesky = p.routine == LapackRoutine::potrf;
  if (is_cholesky) (p.uplo == Uplo::lower ? product.op_a : product.op_b) = adjoint(p.precision);
  if (p.routine == LapackRoutine::getrs) product.op_b = p.op;
  std::vector<GemmProblem> products;
  // Rows that end where a vector does, and others.
  for (const std::int64_t n : {product.n, product.n / 64 * 64, product.n - 1})
    for (const std::int64_t k : {width, width - 1}) {
      GemmProblem other = product;
      other.n = other.m = n;
      other.k = k;
      add_unless_empty(products, other, kernel);
      if (p.routine == LapackRoutine::potrs) {
        other.op_b = adjoint(p.precision);
        add_unless_empty(products, other, kernel);
      }
      if (!is_orthogonal(p.routine)) continue;
      other.n = k;  // op(T)
      add_unless_empty(products, other, kernel);
      other.op_b = adjoint(p.precision);  // with V^H, and with T
      other.n = k;
      other.k = n;
      add_unless_empty(products, other, kernel);
      other.k = k;
      add_unless_empty(products, other, kernel);
    }
  return products;
}

void prepare_products(OpenedDevice& device, const LapackProblem& p, KernelParams kernel,
                      std::int64_t width) {
  const std::vector<GemmProblem> products = products_by_kernel(p, kernel, width);
  kernel.inline_sizes = false;
  for (const GemmProblem& product : products)
    prepare_product(device, kernel, p.precision, product.op_a, product.op_b,
                    rows_of(product, kernel));
}

std::vector<TriedProgram> programs_beside_products(const TargetDevice& device,
                                                   const LapackProblem& p, std::int64_t width) {
  if (!exchanges_rows(p)) return {};
  std::vector<TriedProgram> programs = {exchange_program(device, p.precision)};
  if (suits_panels(device, p, width)) programs.push_back(panel_program(device, p.precision, width));
  return programs;
}

}  // namespace duoblas
