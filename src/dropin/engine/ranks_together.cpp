#include "dropin/engine/ranks_together.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "os/file_lock.hpp"
#include "os/file_status.hpp"
#include "os/files.hpp"
#include "os/process.hpp"

namespace duoblas {
namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;  // of a file that somebody damaged
constexpr std::chrono::milliseconds most_wait{1000};      // for a rank that was stopped

std::string path_of(const Rank& rank) {
  char path[96];
  std::snprintf(path, sizeof path, "/dev/shm/duoblas-%lu-%016zx",
                static_cast<unsigned long>(effective_user()), std::hash<std::string>()(rank.job));
  return path;
}

// Anybody may put a file there. A second name may be that of any file, which is not to be written.
bool may_be_jobs(const FileStatus& file) {
  return file.is_regular && file.user == effective_user() && file.links <= 1;
}

// The job's file while this process has its turn.
class Turn {
 public:
  explicit Turn(std::string path) : path_(std::move(path)) {
    std::optional<FileStatus> about;
    do {  // the last rank of a job with this name may have just removed it
      file_ = FileDescriptor(open_file(path_, Opened::as_own_lock));
      if (!(about = file_status(file_.get())) || !may_be_jobs(*about)) return;
      if (wait_for_lock(file_.get(), most_wait) != LockAttempt::taken) return;
      if (!(about = file_status(file_.get())) || !may_be_jobs(*about)) return;
    } while (about->links == 0);
    is_ours_ = true;
  }
  // A child that was forked meanwhile has the file, and would keep the lock.
  ~Turn() { unlock(file_.get()); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool is_ours() const { return is_ours_; }

  std::string text() const {
    std::string text(most_bytes, '\0');
    const ssize_t bytes = read_all(file_.get(), text.data(), text.size());
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
  }
  bool replace(const std::string& text) const { return replace_text(file_.get(), text); }
  void remove() const { remove_file(path_); }

 private:
  const std::string path_;
  FileDescriptor file_;
  bool is_ours_ = false;
};

struct Contents {
  std::set<int> living;
  RanksTogether all;
};

// Two lines of numbers, then one about each rank.
Contents contents_of(const std::string& text) {
  Contents found;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::istringstream processes(line);
  for (int process = 0; processes >> process;)
    if (is_running(process)) found.living.insert(process);
  std::getline(lines, line);
  std::istringstream sums(line);
  for (double sum = 0; sums >> sum;) found.all.sums.push_back(sum);
  for (int number = 0; lines >> number && std::getline(lines >> std::ws, line);)
    found.all.about[number] = line;
  return found;
}

std::string text_of(const Contents& contents) {
  std::ostringstream text;
  text.precision(17);
  for (const int process : contents.living) text << process << ' ';
  text << '\n';
  for (const double sum : contents.all.sums) text << sum << ' ';
  text << '\n';
  for (const auto& [number, line] : contents.all.about) text << number << ' ' << line << '\n';
  return text.str();
}

}  // namespace

void join_ranks(const Rank& rank) noexcept try {
  const Turn turn(path_of(rank));
  if (!turn.is_ours()) return;
  Contents contents = contents_of(turn.text());
  if (contents.living.empty()) contents = {};  // of a job of this name that was ended
  contents.living.insert(process_id());
  (void)turn.replace(text_of(contents));
} catch (const std::bad_alloc&) {
  // It ends alone, then.
}

std::optional<RanksTogether> leave_ranks(const Rank& rank, const std::vector<double>& counts,
                                         const std::string& about) {
  const Turn turn(path_of(rank));
  if (!turn.is_ours()) return RanksTogether{counts, {{rank.number, about}}};
  Contents contents = contents_of(turn.text());
  contents.living.erase(process_id());
  contents.all.sums.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) contents.all.sums[i] += counts[i];
  contents.all.about[rank.number] = about;
  if (!contents.living.empty() && turn.replace(text_of(contents))) return std::nullopt;
  turn.remove();
  return std::move(contents.all);
}

}  // namespace duoblas
