// Charts of nothing in particular, in round numbers.
#pragma once

#include <string>

#include "plot/chart.hpp"

namespace duoblas::test {

/// Two lines with markers and quartiles over three sizes, each twice the one before.
inline Chart made_up_rates() {
  Chart chart;
  chart.title = "speed";
  chart.x_label = "size";
  chart.y_label = "GFLOPS";
  chart.log_x = true;
  chart.x_ticks = {256, 512, 1024};
  chart.lines = {
      {.name = "cpu", .points = {{256, 100, 90, 110}, {512, 100}, {1024, 100}}},
      {.name = "hybrid", .points = {{256, 200, 180, 220}, {512, 200}, {1024, 200}}, .look = 3}};
  return chart;
}

/// A line without markers, and two phases.
inline Chart made_up_power() {
  Chart chart;
  chart.title = "power";
  chart.lines = {
      {.name = "gpu", .points = {{0.1, 240}, {1, 250}, {1.9, 260}}, .look = 1, .markers = false}};
  chart.phases = {{0, 1, "cpu"}, {1, 2, "hybrid"}};
  return chart;
}

/// Steps, with a mark.
inline Chart made_up_search() {
  Chart chart;
  chart.title = "search";
  chart.x_from_zero = true;
  chart.lines = {{.name = "best", .points = {{1, 100}, {3, 150}}, .steps = true}};
  chart.mark = {2, "chosen"};
  return chart;
}

inline std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace duoblas::test
