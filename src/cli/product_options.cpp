#include "cli/product_options.hpp"
#include <CLI/CLI.hpp>

#include "cli/text_table.hpp"

namespace duoblas::cli {

void add_product_options(CLI::App& command, ProductOptions& options,
                         const std::string& default_sizes) {
  command.add_option("--precision", options.precisions, "Of s, d, c and z; s,d unless given")
      ->delimiter(',')
      ->type_name("P,...");
  command.add_option("--size", options.sizes, "Square sizes; " + default_sizes + " unless given")
      ->delimiter(',')
      ->type_name("N,...");
  command.add_option("--shape", options.shapes, "C is M x N, the inner dimension K; repeatable")
      ->type_name("MxNxK");
  command
      .add_option(
          "--ops", options.ops,
          "What is done to A and B: n, t or c; " + joined(options.ops, ",") + " unless given")
      ->delimiter(',')
      ->type_name("OPS,...");
}

}  // namespace duoblas::cli
