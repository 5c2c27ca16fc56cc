// Names from drivers and files, made safe to print.
#include "plot/printable_text.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(PrintableText, KeepsEveryLanguage) {
  const std::string text = "Radeon™ größer 显卡 \U0001F680";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(PrintableText, ShowsAQuestionMarkForWhatMovesTheCursorOrIsNoText) {
  EXPECT_EQ(printable("a\nb\r\x1b[2J\t"), "a?b??[2J?");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "?2J");  // CSI as one character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc"),
            "?abc");  // writes to the left from here on
  EXPECT_EQ(printable("\xff\xfe"
                      "a\x80"),
            "??a?");
  EXPECT_EQ(printable("caf\xe9"), "caf?");  // Latin-1
  EXPECT_EQ(printable("\xc0\xaf"
                      "\xed\xa0\x80"),
            "?????");                      // overlong, surrogate
  EXPECT_EQ(printable("\xe2\x82"), "??");  // cut off
}

TEST(PrintableText, IsCutBetweenCharacters) {
  EXPECT_EQ(truncated_to_width("grün", 3), "grü");
  EXPECT_EQ(truncated_to_width("grün", 4), "grün");
  EXPECT_EQ(truncated_to_width("显卡", 3), "显");  // two columns each
  EXPECT_EQ(truncated_to_width("abc", 0), "");
  EXPECT_EQ(terminal_width("grün 显卡"), 9u);
}

}  // namespace
}  // namespace duoblas
