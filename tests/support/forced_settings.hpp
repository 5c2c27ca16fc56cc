// Settings with which both sides have a part of every call.
#pragma once

#include <duoblas/settings.hpp>

namespace duoblas::test {

/// The settings of the environment (device, kernel cache), with both sides at work at every size.
inline Settings forced_settings() {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{8, 16};
  settings.profile_dir.clear();
  return settings;
}

}  // namespace duoblas::test
