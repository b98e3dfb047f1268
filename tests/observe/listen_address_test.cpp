#include "observe/listen_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace dra_health {
namespace {

using testing::HasSubstr;

TEST(ListenAddress, ReadsAddressAndPort) {
  EXPECT_EQ(ParseListenAddress("127.0.0.1:10468"), kDefaultListenAddress);
  EXPECT_EQ(ParseListenAddress("0.0.0.0:65535"), (ListenAddress{"0.0.0.0", 65535}));
  EXPECT_EQ(ParseListenAddress("localhost:1"), (ListenAddress{"127.0.0.1", 1}));
}

TEST(ListenAddress, OffIsNowhere) {
  const auto off = ParseListenAddress("off");
  ASSERT_TRUE(off);
  EXPECT_TRUE(off->off());
  EXPECT_EQ(off->ToString(), "off");
}

TEST(ListenAddress, IsWrittenAsItIsRead) {
  for (const char* const text : {"127.0.0.1:10468", "10.1.2.3:80", "off"}) {
    EXPECT_EQ(ParseListenAddress(text)->ToString(), text);
  }
}

TEST(ListenAddress, SaysWhatIsWrong) {
  for (const auto& [text, what] : {std::pair{"127.0.0.1", "has no port"},
                                   {"", "has no port"},
                                   {"[::1]:10468", "is an IPv6 address"},
                                   {"::1:10468", "is an IPv6 address"},
                                   {":10468", "does not begin with an IPv4 address"},
                                   {"node-1:10468", "does not begin with an IPv4 address"},
                                   {"127.0.0.1:0", "does not end with a port"},
                                   {"127.0.0.1:65536", "does not end with a port"},
                                   {"127.0.0.1:80x", "does not end with a port"}}) {
    const auto parsed = ParseListenAddress(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr(what));
  }
}

TEST(ListenAddress, OnlyLoopbackStaysOnTheMachine) {
  EXPECT_TRUE(ParseListenAddress("127.8.8.8:1")->loopback());
  EXPECT_FALSE(ParseListenAddress("0.0.0.0:1")->loopback());
  EXPECT_FALSE(ParseListenAddress("12.7.0.0:1")->loopback());
}

}  // namespace
}  // namespace dra_health
