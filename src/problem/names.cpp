// The names of strategies, as users write them.
#include <string_view>

#include <duoblas/types.hpp>

namespace duoblas {

std::string_view name(Strategy strategy) {
  switch (strategy) {
    case Strategy::automatic: return "auto";
    case Strategy::cpu: return "cpu";
    case Strategy::gpu: return "gpu";
    case Strategy::hybrid: return "hybrid";
  }
  return "unknown";
}

}  // namespace duoblas
