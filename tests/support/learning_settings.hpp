// An engine that decides by times, as a program's is, on a CPU device too.
#pragma once

#include <string>

#include <duoblas/settings.hpp>

namespace duoblas::test {

/// Without a profile and without checks. `cache`: where what is learned is kept; empty: nowhere.
inline Settings learning_settings(const std::string& cache = {}) {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::automatic;
  settings.split.reset();
  settings.adapt = true;
  settings.device = std::string("0");  // a CPU device is taken where it is named
  settings.profile_dir.clear();
  settings.cache_dir = cache;
  settings.check = CheckMode::off;
  return settings;
}

}  // namespace duoblas::test
