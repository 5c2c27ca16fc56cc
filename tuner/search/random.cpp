#include "tuner/search/random.hpp"

#include <optional>

namespace duoblas {

Walk<void> RandomSearch::walk() {
  while (const std::optional<Candidate> candidate = random_unknown()) co_await score_of(*candidate);
}

}  // namespace duoblas
