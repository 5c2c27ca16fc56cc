#include "bench/stream_bench.hpp"

#include <map>

namespace duoblas {

StreamBench::StreamBench(const NamedOptions& options)
    : rounds(positive(options, "--rounds")),
      sweep(options["--sweep"] == "yes"),
      top(static_cast<std::size_t>(positive(options, "--top"))) {
  if (options["--host"] == "yes") {
    strategies.emplace();
    return;
  }
  device = opened_device(options["--device"]);
  std::string why;
  peer = make_vector_peer(why);
  if (!peer) std::printf("no cuBLAS: %s\n", why.c_str());
}

NamedOptions stream_options(std::vector<std::pair<std::string, std::string>> own) {
  std::map<std::string, std::string> all = {{"--precision", "s,d"}, {"--rounds", "9"},
                                            {"--sweep", "no"},      {"--host", "no"},
                                            {"--device", ""},       {"--top", "3"}};
  all.insert(own.begin(), own.end());
  return NamedOptions(std::move(all));
}

}  // namespace duoblas
