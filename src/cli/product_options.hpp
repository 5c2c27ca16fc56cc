// The options that choose products: the same for every subcommand that measures.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace duoblas::cli {

struct ProductOptions {
  std::vector<std::string> precisions = {"s", "d"};
  std::vector<std::string> ops = {"nn"};
  std::vector<std::string> shapes;
  std::vector<std::int64_t> sizes;
};

/// With other ops than nn where none are given.
inline ProductOptions with_ops(std::vector<std::string> ops) {
  ProductOptions options;
  options.ops = std::move(ops);
  return options;
}

/// `default_sizes` is for the help text: the sizes where neither --size nor --shape is given.
void add_product_options(CLI::App& command, ProductOptions& options,
                         const std::string& default_sizes);

}  // namespace duoblas::cli
