#include "engine/history_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <random>
#include <string_view>

#include "opencl/cache_file.hpp"
#include "os/file_descriptor.hpp"
#include "os/file_lock.hpp"
#include "os/files.hpp"

namespace duoblas {
namespace {

std::string new_salt() {
  std::random_device device;
  std::string salt;
  for (int i = 0; i < 4; ++i) salt += std::to_string(device()) + '-';
  return salt;
}

std::string text_of(const HistoryFile::Numbers& numbers) {
  std::string text;
  for (const double number : numbers) {
    std::array<char, 32> digits;  // std::to_string() writes the locale's decimal comma
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), end.ptr) += ' ';
  }
  return text;
}

// Empty: it is damaged.
HistoryFile::Numbers numbers_in(std::string_view text) {
  const char *next = text.data(), *const end = next + text.size();
  HistoryFile::Numbers numbers;
  for (double number = 0; next != end; ++next) {
    const auto found = std::from_chars(next, end, number);
    if (found.ec != std::errc() || found.ptr == end || *found.ptr != ' ') return {};
    if (!(number >= 0) || !std::isfinite(number)) return {};
    numbers.push_back(number);
    next = found.ptr;
  }
  return numbers;
}

// Processes that end at once take turns: 64 of them need some 20 ms. After `most_wait`, and where
// the file cannot be locked, they go on, and a record may be lost.
class Turn {
 public:
  Turn(const std::string& path, std::chrono::milliseconds most_wait)
      : lock_(open_file(path, Opened::as_lock)) {
    (void)wait_for_lock(lock_.get(), most_wait);
  }
  // A child that was forked meanwhile has the file, and would keep the lock.
  ~Turn() { unlock(lock_.get()); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  FileDescriptor lock_;
};

}  // namespace

// The file's text: the salt, then "HASH NUMBER NUMBER ..." for each key, the newest last.
struct HistoryFile::Lines {
  std::string salt;
  std::vector<std::string> records;

  std::string begin_of(const std::string& key) const {
    return cl::cache_file_name(salt + key) + ' ';
  }
  Numbers find(const std::string& key) const {
    const std::string begin = begin_of(key);
    const auto record = std::find_if(records.rbegin(), records.rend(),
                                     [&](const std::string& r) { return r.starts_with(begin); });
    if (record == records.rend()) return {};
    return numbers_in(std::string_view(*record).substr(begin.size()));
  }
  void replace(const std::string& key, const Numbers& numbers) {
    if (key.empty()) return;
    const std::string begin = begin_of(key);
    std::erase_if(records, [&](const std::string& r) { return r.starts_with(begin); });
    records.push_back(begin + text_of(numbers));
  }
};

HistoryFile::Lines HistoryFile::read() const {
  const auto content = cl::CacheDirectory(folder_).load(name_);
  Lines lines;
  std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    (first ? lines.salt : lines.records.emplace_back()) = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void HistoryFile::change(const std::function<void(Lines&)>& how, Wait most_wait) const {
  if (folder_.empty()) return;
  const cl::CacheDirectory directory(folder_);
  if (!directory.usable()) return;
  const Turn mine(folder_ + '/' + cl::cache_file_name(name_) + ".lock", most_wait);
  Lines lines = read();
  if (lines.salt.empty()) lines = {new_salt(), {}};
  how(lines);
  auto first = lines.records.end();
  for (std::size_t bytes = lines.salt.size();
       first != lines.records.begin() && (bytes += 1 + (first - 1)->size()) <= most_bytes_;)
    --first;
  std::string text = lines.salt;
  for (; first != lines.records.end(); ++first) text += '\n' + *first;
  (void)directory.store(name_, {text.begin(), text.end()});
}

HistoryFile::Numbers HistoryFile::find(const std::string& key) const {
  return folder_.empty() || key.empty() ? Numbers() : read().find(key);
}

void HistoryFile::store(const std::vector<std::pair<std::string, Numbers>>& records,
                        Wait most_wait) const {
  const auto replace = [&](Lines& lines) {
    for (const auto& [key, numbers] : records) lines.replace(key, numbers);
  };
  change(replace, most_wait);
}

void HistoryFile::update(const std::string& key,
                         const std::function<Numbers(const Numbers&)>& changed,
                         Wait most_wait) const {
  change([&](Lines& lines) { lines.replace(key, changed(lines.find(key))); }, most_wait);
}

}  // namespace duoblas
