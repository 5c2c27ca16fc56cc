#include "engine/learned_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <utility>

#include "opencl/cache_file.hpp"

namespace duoblas {
namespace {

// Of an open file, not of the process: two engines of one process see each other too.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// A fork shares open files and their locks: a child that lives on would count as a user, though it
// never uses a device.
constinit std::array<std::atomic<int>, 16> open_files = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                         -1, -1, -1, -1, -1, -1, -1, -1};

void close_in_child() {
  for (std::atomic<int>& file : open_files)
    if (const int descriptor = file.exchange(-1); descriptor >= 0) ::close(descriptor);
}

// False: there are too many.
bool is_closed_in_children(int descriptor) {
  static const bool registered = ::pthread_atfork(nullptr, nullptr, close_in_child) == 0;
  for (std::atomic<int>& file : open_files) {
    int free = -1;
    if (registered && file.compare_exchange_strong(free, descriptor)) return true;
  }
  return false;
}

void forget(int descriptor) {
  for (std::atomic<int>& file : open_files) {
    int expected = descriptor;
    if (file.compare_exchange_strong(expected, -1)) return;
  }
}

}  // namespace

LearnedFile::LearnedFile(const std::string& cache_dir, std::string key, const std::string& device)
    : key_(std::move(key)) {
  if (cache_dir.empty()) return;
  folder_ = cache_dir + "/learned";
  std::string problem;
  if (!cl::CacheDirectory(folder_, problem).usable()) {
    folder_.clear();
    return;
  }
  const std::string users = folder_ + "/" + cl::cache_file_name("users of " + device) + ".users";
  users_ = ::open(users.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (users_ >= 0 && !is_closed_in_children(users_)) {
    ::close(users_);
    users_ = -1;
  }
  struct flock lock = whole_file(F_RDLCK);
  if (users_ < 0 || ::fcntl(users_, F_OFD_SETLK, &lock) != 0) folder_.clear();
}

LearnedFile::~LearnedFile() {
  if (users_ < 0) return;
  forget(users_);
  ::close(users_);
}

std::vector<unsigned char> LearnedFile::load() const {
  if (folder_.empty()) return {};
  std::string problem;
  return cl::CacheDirectory(folder_, problem).load(key_);
}

bool LearnedFile::is_shared() const {
  struct flock lock = whole_file(F_WRLCK);
  return users_ >= 0 && ::fcntl(users_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool LearnedFile::store(const std::vector<unsigned char>& bytes) const {
  if (folder_.empty() || is_shared()) return false;
  std::string problem;
  return cl::CacheDirectory(folder_, problem).store(key_, bytes).empty();
}

}  // namespace duoblas
