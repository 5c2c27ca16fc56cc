// A few numbers for each of many keys, kept in one file that does not grow beyond its bound.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace duoblas {

/// A file of DUOBLAS_CACHE_DIR for all processes of a user. It holds hashes of keys, with a salt of
/// its own: from a key that somebody guesses nobody can tell whether it is there. Where it cannot
/// be read or written, nothing is kept.
class HistoryFile {
 public:
  using Numbers = std::vector<double>;
  /// Milliseconds for which another process is waited for that changes the file.
  using Wait = std::chrono::milliseconds;
  static constexpr Wait at_end{100};    ///< of a program
  static constexpr Wait in_a_call{20};  ///< no more than any program may lose

  /// `folder` empty: keeps nothing. `name`: of the file, among those of that folder. Beyond
  /// `most_bytes` the oldest records go.
  explicit HistoryFile(std::string folder, std::string name = "what programs had for the device",
                       std::size_t most_bytes = 1'000'000)
      : folder_(std::move(folder)), name_(std::move(name)), most_bytes_(most_bytes) {}

  /// What was stored last; empty: nothing, or it is damaged.
  Numbers find(const std::string& key) const;
  /// Adds these to what other processes have stored by now, and replaces the file at once.
  void store(const std::vector<std::pair<std::string, Numbers>>& records,
             Wait most_wait = at_end) const;
  /// The same of what `changed` makes of the numbers of this key; no other process stores
  /// meanwhile.
  void update(const std::string& key, const std::function<Numbers(const Numbers&)>& changed,
              Wait most_wait = at_end) const;

 private:
  struct Lines;
  Lines read() const;
  void change(const std::function<void(Lines&)>& how, Wait most_wait) const;

  std::string folder_, name_;
  std::size_t most_bytes_;
};

}  // namespace duoblas
