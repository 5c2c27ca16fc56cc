#include "cli/core_list.hpp"

#include <algorithm>

namespace duoblas::cli {

std::string core_list(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cores[i]);
    if (last > i) text += "-" + std::to_string(cores[last]);
    i = last;
  }
  return text;
}

std::string core_facts(const Topology& machine) {
  std::string kinds;
  std::vector<CoreKind> ranked = machine.kinds;
  std::stable_sort(ranked.begin(), ranked.end(), [](const CoreKind& x, const CoreKind& y) {
    return x.efficiency > y.efficiency;
  });
  for (const CoreKind& kind : ranked)
    kinds += (kinds.empty() ? "" : "; ") + core_list(kind.cores) +
             (kind.name.empty() ? "" : " (" + kind.name + ")");
  std::string shared;
  for (const std::vector<int>& threads : machine.siblings)
    if (threads.size() > 1) shared += (shared.empty() ? "" : "; ") + core_list(threads);
  return (kinds.empty() ? "" : "  kinds of cores, fastest first: " + kinds + "\n") +
         (shared.empty() ? "" : "  hardware threads that share a core: " + shared + "\n");
}

}  // namespace duoblas::cli
