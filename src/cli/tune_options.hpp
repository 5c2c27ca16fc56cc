// The options of `duoblas tune`.
#pragma once

#include <string>
#include <vector>

#include "cli/product_options.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/tune_request.hpp"

namespace CLI {
class App;
}

namespace duoblas::cli {

struct TuneOptions {
  std::string routine = "gemm";  ///< or gemv
  /// Programs transpose: all op pairs, unless given.
  ProductOptions products = with_ops({"nn", "nt", "tn", "tt"});
  double budget = TuneRequest().budget_seconds;
  std::string objective{name(Goal::throughput)};
  std::string search = search_names().front();
  int max_kernels = TuneRequest().max_kernels;
  unsigned seed = 1;
  bool verbose = false;
  bool fresh = false;
  bool as_is = false;
  std::string plot;
  std::vector<std::string> curves;       ///< "tile_rows"
  std::vector<std::string> assignments;  ///< "tile_rows=8"
  std::string journal;
  std::string json;
};

void add_tune_options(CLI::App& command, TuneOptions& options);

/// \throws UsageError where the budget is no number of seconds.
void require_budget(const TuneOptions& options);

/// The options as a request. \throws UsageError for options that make no sense, or that need more
/// memory than the machine has.
TuneRequest request_of(const TuneOptions& options);

/// Call it before the tuning, so that minutes of work are not lost to a file that cannot be
/// written. \throws UsageError for a picture's unknown ending, Error naming the file that cannot be
/// written.
void require_outputs(const TuneOptions& options);

}  // namespace duoblas::cli
