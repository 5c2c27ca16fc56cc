# Products of both element types that R has. Prints `NAME SCALE VALUE...` as dropin.py reads it.

frobenius <- function(x) sqrt(sum(Mod(x)^2))

report <- function(name, multiply, a, b) {
  cat(sprintf("case %s\n", name), file = stderr())
  product <- multiply(a, b)
  kind <- if (is.complex(product)) 2 * sqrt(2) else 1
  scale <- sqrt(max(dim(a)) + 2) * kind * .Machine$double.eps / 2 * frobenius(a) * frobenius(b)
  cat(name, sprintf("%.17g", c(scale, Re(product), Im(product))), sep = " ")
  cat("\n")
}

set.seed(42)
a <- matrix(rnorm(90 * 110), 90)
b <- matrix(rnorm(110 * 70), 110)
c <- matrix(rnorm(90 * 70), 90)

report("products.product", `%*%`, a, b)
report("products.crossprod_of_two", crossprod, a, c)
report("products.tcrossprod_of_two", tcrossprod, a, t(b))
report("cross_products.crossprod", function(x, y) crossprod(x), a, a)
report("cross_products.tcrossprod", function(x, y) tcrossprod(x), a, a)
report("products.complex_product", `%*%`, a + 1i * rev(a), b + 1i * rev(b))
