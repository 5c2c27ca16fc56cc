// A check of a result that a device computed: an identity over matrices with random vectors, a
// bound, the old values of what is overwritten, and a verdict. What all kinds of checks have.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace duoblas {

/// An element of the result whose error is larger than any order of operations explains.
struct WrongElement {
  std::int64_t row = 0, column = 0;
  std::complex<double> is, should_be;
  double bound = 0;  ///< of the error of either part; 0: it should not be finite
};

/// "element (3, 4) of 5 x 6 is 1 and should be 2".
std::string describe(const WrongElement& wrong, bool is_complex, std::int64_t rows,
                     std::int64_t columns);

struct CheckVerdict {
  std::optional<WrongElement> wrong;  ///< nothing: no element was found wrong
  /// Lines of the result that differed by more than is likely.
  std::int64_t suspected_rows = 0;
  /// Only some of these were checked, because those were right.
  bool gave_up = false;

  /// As the verdict of several parts.
  void add(const CheckVerdict& part) {
    if (!wrong) wrong = part.wrong;
    suspected_rows += part.suspected_rows;
    gave_up = gave_up || part.gave_up;
  }
};

/// Reads what the call reads and writes. Make it before the result is written. What is read must
/// not change until it is over.
class ResultCheck {
 public:
  ResultCheck() = default;
  ResultCheck(ResultCheck&&) noexcept = default;
  virtual ~ResultCheck() = default;

  /// Does the part of the check that needs no result, so it can run while the device works. \throws
  /// std::bad_alloc.
  void predict();
  /// The result is there. \throws std::bad_alloc.
  CheckVerdict compare();
  /// Gives what was overwritten its old values, as far as they were saved.
  virtual void restore() const noexcept = 0;
  /// In words. \throws std::bad_alloc.
  virtual std::string describe(const WrongElement& wrong) const = 0;
  /// Processor time that all of this took.
  virtual double seconds() const { return seconds_; }

 protected:
  /// Adds the processor time of a scope: what work costs, however busy the machine is.
  class Counted {
   public:
    explicit Counted(ResultCheck& of) : seconds_(of.seconds_), start_(now()) {}
    ~Counted() { seconds_ += now() - start_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    static double now();  // of the calling thread

    double& seconds_;
    const double start_;
  };

 private:
  virtual void do_predict() {}
  virtual CheckVerdict do_compare() = 0;

  double seconds_ = 0;
  bool is_predicted_ = false;
};

/// The lines of a result that differ by more than rounding errors are likely to cause, and which of
/// them are computed again. A check blames a line only for an element whose own error exceeds its
/// bound.
class Suspects {
 public:
  /// `ratio`: the difference over the likely one; NaN is the largest.
  void add(double ratio, std::int64_t line);
  /// The lines with the largest ratios, at most so many, these first.
  std::vector<std::int64_t> worst(std::size_t most);
  /// `wrong_in(line)` finds a wrong element of a line, or none. It is called for at most so many
  /// lines. If none of them has one, the check takes the data for the cause.
  template <typename WrongIn>
  CheckVerdict verdict(std::size_t most_lines, WrongIn&& wrong_in) {
    CheckVerdict verdict;
    verdict.suspected_rows = std::ssize(lines_);
    const std::vector<std::int64_t> looked_at = worst(most_lines);
    for (std::size_t i = 0; i < looked_at.size() && !verdict.wrong; ++i)
      verdict.wrong = wrong_in(looked_at[i]);
    verdict.gave_up = !verdict.wrong && looked_at.size() < lines_.size();
    return verdict;
  }

 private:
  std::vector<std::pair<double, std::int64_t>> lines_;
};

}  // namespace duoblas
