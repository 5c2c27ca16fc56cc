// Tests on the stand-in, each with a cache of its own.
#pragma once

#include <gtest/gtest.h>

#include <duoblas/settings.hpp>

#include "support/temporary_directory.hpp"

namespace duoblas::test {

class OnStandin : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings s;
    s.standin = true;
    s.cache_dir = directory_ / "cache";
    return s;
  }
  TemporaryDirectory directory_;
};

}  // namespace duoblas::test
