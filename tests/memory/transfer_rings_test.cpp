// Pageable memory through page-locked blocks, to a device and back, with threads that copy ahead.
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <duoblas/error.hpp>

#include "memory/download_ring.hpp"
#include "memory/memory_fixture.hpp"
#include "memory/upload_ring.hpp"

namespace duoblas {
namespace {

using test::rect;

constexpr std::size_t block_doubles = DownloadRing::block_bytes / sizeof(double);
// Of a job that fills blocks ahead.
constexpr std::size_t many = CopyThreads::least_bytes_ahead / DownloadRing::block_bytes;

std::vector<double> numbered(std::size_t count, double first) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct TransferRings : test::MemoryFixture {
  explicit TransferRings(int helpers = 3) : copiers(helpers) {}

  CopyThreads copiers;
  UploadRing uploads{context, queue, copiers, [] { return false; }};

  cl::Buffer buffer_of(std::size_t doubles) {
    return context.allocate(doubles * sizeof(double), cl::Access::read_write);
  }
  std::vector<double> contents(const cl::Buffer& buffer, std::size_t rows, std::size_t columns) {
    std::vector<double> values(rows * columns);
    const std::size_t width = columns * sizeof(double);
    queue.read(buffer, values.data(), {rows, width, width, width, 0});
    return values;
  }
};

struct TransferRingsAlone : TransferRings {
  TransferRingsAlone() : TransferRings(0) {}
};

/// A matrix of some blocks, as it lies in memory and on a device.
struct Sent {
  std::size_t rows, columns;
  std::vector<double> values;
  cl::Buffer buffer;

  Sent(TransferRings& rings, std::size_t of_rows, std::size_t of_columns, double first)
      : rows(of_rows),
        columns(of_columns),
        values(numbered(rows * columns, first)),
        buffer(rings.buffer_of(rows * columns)) {}
  HostRect on_host() { return rect(values.data(), rows, columns, columns); }
  std::size_t pitch() const { return columns * sizeof(double); }
};

TEST_F(TransferRings, UploadWhatWasExpectedAndOthersInBetween) {
  Sent longer(*this, 2, block_doubles + 3, 7e8), small(*this, 3, 5, 8e8),
      other(*this, block_doubles / 512 + 1, 1024, 9e8);
  for (const std::size_t blocks : {many, std::size_t{3}, many}) {
    Sent tall(*this, blocks * block_doubles / 1024 + 5, 1024, 0);
    for (Sent* sent : {&tall, &longer, &small}) uploads.expect(sent->on_host(), sent->pitch());
    for (Sent* sent : {&tall, &other, &longer, &small, &other})
      uploads.upload(sent->on_host(), sent->buffer, 0, sent->pitch());
    uploads.finish();
    for (Sent* sent : {&tall, &other, &longer, &small}) {
      EXPECT_TRUE(contents(sent->buffer, sent->rows, sent->columns) == sent->values) << blocks;
      for (double& value : sent->values) value += 1;
    }
  }
}

// What is made for a block goes where it belongs, whatever is filled ahead; rows of the device are
// longer than its own.
TEST_F(TransferRings, UploadWhatIsMadeInTheirBlocks) {
  constexpr std::size_t rows = 100, columns = 7, device_columns = 16;
  for (const std::size_t blocks : {many, std::size_t{3}}) {
    Sent tall(*this, blocks * block_doubles / 1024, 1024, 0);
    const cl::Buffer buffer = buffer_of((rows + 1) * device_columns);
    const std::size_t pitch = device_columns * sizeof(double);
    std::vector<double> expected((rows + 1) * device_columns, -1);
    queue.write(buffer, expected.data(), {rows + 1, pitch, pitch, pitch, 0}, true);
    uploads.expect(tall.on_host(), tall.pitch());
    const std::vector<double> made = numbered(rows * columns, 7e8);
    const auto make = [&](void* to) { std::ranges::copy(made, static_cast<double*>(to)); };
    EXPECT_NE(uploads.upload_made(rows, columns * sizeof(double), buffer, pitch, pitch, make),
              nullptr);
    uploads.upload(tall.on_host(), tall.buffer, 0, tall.pitch());
    uploads.finish();
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(made.data() + i * columns, columns, expected.data() + (i + 1) * device_columns);
    EXPECT_TRUE(contents(buffer, rows + 1, device_columns) == expected) << blocks;
    EXPECT_TRUE(contents(tall.buffer, tall.rows, tall.columns) == tall.values) << blocks;
  }
}

// A failure to make it is no upload, and its block serves again.
TEST_F(TransferRings, UploadNothingThatWasNotMade) {
  Sent tall(*this, many * block_doubles / 1024, 1024, 0);
  for (int round = 0; round < 10; ++round) {
    uploads.expect(tall.on_host(), tall.pitch());
    const auto refuse = [](void*) { throw std::runtime_error("refused"); };
    EXPECT_THROW(uploads.upload_made(1, 8, tall.buffer, 0, 8, refuse), std::runtime_error);
    uploads.forget();
  }
  uploads.expect(tall.on_host(), tall.pitch());
  uploads.upload(tall.on_host(), tall.buffer, 0, tall.pitch());
  uploads.finish();
  EXPECT_TRUE(contents(tall.buffer, tall.rows, tall.columns) == tall.values);
}

TEST_F(TransferRings, UploadColumnsOfAWiderMatrixAhead) {
  Sent wide(*this, many * block_doubles / 1024, 1024, 0);
  const std::vector<double> zeros(wide.values.size());
  queue.write(wide.buffer, zeros.data(), {wide.rows, wide.pitch(), wide.pitch(), wide.pitch(), 0},
              true);
  const std::size_t half = wide.pitch() / 2;
  const HostRect left = rect(wide.values.data(), wide.rows, 512, 1024),
                 right = rect(wide.values.data() + 512, wide.rows, 512, 1024);
  for (const HostRect& part : {left, right}) uploads.expect(part, wide.pitch(), Gaps::untouched);
  uploads.upload(left, wide.buffer, 0, wide.pitch(), Gaps::untouched);
  uploads.upload(right, wide.buffer, half, wide.pitch(), Gaps::untouched);
  uploads.finish();
  EXPECT_TRUE(contents(wide.buffer, wide.rows, 1024) == wide.values);
}

TEST_F(TransferRings, FillBlocksWithWhatIsUploadedNext) {
  Sent first(*this, 4, block_doubles / 4, 0), next(*this, 4 * (many - 1), block_doubles / 4, 7e8);
  for (Sent* sent : {&first, &next}) uploads.expect(sent->on_host(), sent->pitch());
  uploads.upload(first.on_host(), first.buffer, 0, first.pitch());
  EXPECT_EQ(copiers.bytes(), 4 * DownloadRing::block_bytes);
  uploads.upload(next.on_host(), next.buffer, 0, next.pitch());
  EXPECT_EQ(copiers.bytes(), many * DownloadRing::block_bytes) << "it was copied once";
  uploads.finish();
}

// Other uploads in between do not make it larger.
TEST_F(TransferRings, FillNothingAheadForASmallJob) {
  Sent first(*this, 4, block_doubles / 4, 0), next(*this, 4 * (many - 2), block_doubles / 4, 7e8),
      other(*this, 4, block_doubles / 4, 9e8);
  for (int round = 0; round < 2; ++round) {
    const std::size_t before = copiers.bytes();
    for (Sent* sent : {&first, &next}) uploads.expect(sent->on_host(), sent->pitch());
    for (Sent* sent : {&first, &other, &other})
      uploads.upload(sent->on_host(), sent->buffer, 0, sent->pitch());
    EXPECT_EQ(copiers.bytes() - before, 3 * DownloadRing::block_bytes);
    uploads.upload(next.on_host(), next.buffer, 0, next.pitch());
    EXPECT_EQ(copiers.bytes() - before, (many + 1) * DownloadRing::block_bytes);
  }
  uploads.finish();
  EXPECT_TRUE(contents(next.buffer, next.rows, next.columns) == next.values);
}

TEST_F(TransferRingsAlone, SendABlockBeforeTheNextIsFilled) {
  Sent first(*this, 4, block_doubles / 4, 0), next(*this, 4 * (many - 1), block_doubles / 4, 7e8);
  for (Sent* sent : {&first, &next}) uploads.expect(sent->on_host(), sent->pitch());
  uploads.upload(first.on_host(), first.buffer, 0, first.pitch());
  EXPECT_EQ(copiers.bytes(), DownloadRing::block_bytes);
  uploads.upload(next.on_host(), next.buffer, 0, next.pitch());
  uploads.finish();
  EXPECT_TRUE(contents(next.buffer, next.rows, next.columns) == next.values);
}

// Blocks that were filled for an upload that never came hold old values.
TEST_F(TransferRings, ForgetWhatTheyFilledAheadWhenAJobEnds) {
  Sent first(*this, 4, block_doubles / 4, 0), next(*this, 4 * many, block_doubles / 4, 7e8);
  const auto end_job = [&](int way) {
    if (way == 0) return uploads.finish();
    if (way == 1) return uploads.expect_nothing();
    queue.finish();
    uploads.forget();
  };
  for (const int way : {0, 1, 2}) {
    for (Sent* sent : {&first, &next}) uploads.expect(sent->on_host(), sent->pitch());
    uploads.upload(first.on_host(), first.buffer, 0, first.pitch());
    end_job(way);
    for (double& value : next.values) value += 1;
    uploads.upload(next.on_host(), next.buffer, 0, next.pitch());
    uploads.finish();
    EXPECT_TRUE(contents(next.buffer, next.rows, next.columns) == next.values) << way;
  }
}

// Ahead and not, in rows of a block and in rows that are longer.
TEST_F(TransferRings, UploadTheStoredPartOfATriangleAndZerosBesideIt) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::size_t columns : {std::size_t{1024}, block_doubles + 100})
      for (const std::size_t bytes : {many * DownloadRing::block_bytes, std::size_t{0}}) {
        const std::size_t rows = std::max<std::size_t>(3, bytes / sizeof(double) / columns);
        Sent sent(*this, rows, columns, 5);
        const std::int64_t diagonal = columns == 1024 ? -7 : static_cast<std::int64_t>(columns) - 2;
        UploadKind kind;
        kind.triangle = TrianglePart{uplo, Precision::d, diagonal, uplo == Uplo::upper};
        uploads.expect(sent.on_host(), sent.pitch(), kind);
        uploads.upload(sent.on_host(), sent.buffer, 0, sent.pitch(), kind);
        uploads.finish();
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) {
            const auto beyond =
                static_cast<std::int64_t>(j) - static_cast<std::int64_t>(i) - diagonal;
            double& value = sent.values[i * columns + j];
            if (uplo == Uplo::lower ? beyond > 0 : beyond < 0) value = 0;
            if (uplo == Uplo::upper && beyond == 0) value = 1;
          }
        EXPECT_TRUE(contents(sent.buffer, rows, columns) == sent.values) << columns;
      }
}

TEST_F(TransferRings, PutBackWhatTheyKeptAndNothingElse) {
  UploadKind saved;
  saved.is_saved = true;
  for (const std::size_t blocks : {many, std::size_t{2}})
    for (const bool puts_back : {true, false, true}) {
      Sent first(*this, blocks * 4, block_doubles / 4, 0), other(*this, 4, block_doubles / 4, 7e8);
      const std::vector<double> values = first.values;
      uploads.expect(first.on_host(), first.pitch(), saved);
      uploads.expect(other.on_host(), other.pitch());
      uploads.upload(first.on_host(), first.buffer, 0, first.pitch(), saved);
      uploads.upload(other.on_host(), other.buffer, 0, other.pitch());
      std::ranges::fill(first.values, -1);
      std::ranges::fill(other.values, -1);
      uploads.finish();
      EXPECT_TRUE(contents(first.buffer, first.rows, first.columns) == values);
      if (puts_back)
        uploads.restore_saved();
      else
        uploads.drop_saved();
      EXPECT_EQ(first.values == values, puts_back);
      EXPECT_EQ(std::ranges::count(other.values, -1), std::ssize(other.values));
    }
}

/// Finds wrong what arrives after so many pieces.
struct WrongAfter final : ArrivalCheck {
  int left;
  explicit WrongAfter(int pieces) : left(pieces) {}
  void will_be_written() noexcept override {}
  bool is_right(const RowsCopy&) noexcept override { return left-- > 0; }
};

TEST_F(TransferRings, FinishTheRowsThatTheyBeganWhenOthersAreWrong) {
  const std::size_t columns = 1024, of_block = block_doubles / columns, rows = 20 * of_block;
  const std::vector<double> values = numbered(rows * columns, 1);
  auto buffer = std::make_shared<cl::Buffer>(buffer_of(values.size()));
  const std::size_t pitch = columns * sizeof(double);
  queue.write(*buffer, values.data(), {rows, pitch, pitch, pitch, 0}, true);
  const auto after = std::make_shared<cl::Event>(queue.mark());
  queue.flush();
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{3}, many}) {
    DownloadRing ring(context, queue, copiers, [] {});
    ring.reserve(blocks * DownloadRing::block_bytes);
    for (const int right_pieces : {0, 1, 5, 13, 100}) {
      std::vector<double> to(values.size(), -1);
      std::size_t rows_done = 0;
      WrongAfter check(right_pieces);
      DownloadRing::Result result;
      result.from = buffer;
      result.pitch = pitch;
      result.to = rect(to.data(), rows, columns, columns);
      result.after = after;
      result.rows_done = &rows_done;
      result.check = &check;
      ring.expect(std::move(result));
      if (right_pieces < 20) {
        EXPECT_THROW(ring.finish(), DeviceError);
        queue.finish();
        ring.forget();
      } else {
        ring.finish();
      }
      EXPECT_EQ(rows_done,
                std::min<std::size_t>(rows, static_cast<std::size_t>(right_pieces) * of_block));
      std::vector<double> expected(to.size(), -1);
      std::copy_n(values.begin(), rows_done * columns, expected.begin());
      EXPECT_TRUE(to == expected) << right_pieces;
    }
  }
}

}  // namespace
}  // namespace duoblas
