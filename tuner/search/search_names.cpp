// The search strategies by their names.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "tuner/search/annealing.hpp"
#include "tuner/search/coordinate.hpp"
#include "tuner/search/exhaustive.hpp"
#include "tuner/search/halving.hpp"
#include "tuner/search/phased.hpp"
#include "tuner/search/random.hpp"

namespace duoblas {
namespace {

template <typename Search>
std::unique_ptr<SearchStrategy> make(SearchTask task) {
  return std::make_unique<Search>(std::move(task));
}

struct NamedSearch {
  std::string_view name;
  std::unique_ptr<SearchStrategy> (*make)(SearchTask task);
};

constexpr std::array<NamedSearch, 6> kSearches = {{{"halving", make<Halving>},
                                                   {"exhaustive", make<Exhaustive>},
                                                   {"random", make<RandomSearch>},
                                                   {"coordinate", make<Coordinate>},
                                                   {"phased", make<Phased>},
                                                   {"annealing", make<Annealing>}}};

}  // namespace

const std::vector<std::string>& search_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedSearch& search : kSearches) all.emplace_back(search.name);
    return all;
  }();
  return names;
}

std::unique_ptr<SearchStrategy> make_search(std::string_view name, SearchTask task) {
  for (const NamedSearch& search : kSearches)
    if (search.name == name) return search.make(std::move(task));
  std::string known;
  for (const std::string& other : search_names()) known += (known.empty() ? "" : ", ") + other;
  throw SettingError("there is no search \"" + std::string(name) + "\": choose one of " + known);
}

}  // namespace duoblas
