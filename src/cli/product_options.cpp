#include "cli/product_options.hpp"
#include <CLI/CLI.hpp>

#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {

void add_product_options(CLI::App& command, ProductOptions& options,
                         const std::string& default_sizes) {
  add_value(command, "--precision", options.precisions, "P,...",
            "Of s, d, c and z; s,d unless given")
      ->delimiter(',');
  add_value(command, "--size", options.sizes, "N,...",
            "Square sizes; " + default_sizes + " unless given")
      ->delimiter(',');
  add_value(command, "--shape", options.shapes, "MxNxK",
            "C is M x N, the inner dimension K; repeatable");
  add_value(command, "--ops", options.ops, "OPS,...",
            "What is done to A and B: n, t or c; " + joined(options.ops, ",") + " unless given")
      ->delimiter(',');
}

}  // namespace duoblas::cli
