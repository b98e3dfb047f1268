#include "discovery/rpc.h"

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

namespace dra_health {
namespace {

TEST(RpcTest, TargetKeepsPlainPathsAndEncodesTheRest) {
  EXPECT_EQ(UnixTarget("/var/lib/kubelet/plugins/gpu.example.com/dra-1_2~3.sock"),
            "unix:/var/lib/kubelet/plugins/gpu.example.com/dra-1_2~3.sock");
  EXPECT_EQ(UnixTarget("/a b%41?#\xc3\xa4"), "unix:/a%20b%2541%3F%23%C3%A4");
}

TEST(RpcTest, DescriptionNamesTheCodeAndIsOnePrintableLine) {
  EXPECT_EQ(Describe(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone\naway")),
            "UNAVAILABLE: gone away");
  EXPECT_EQ(Describe(grpc::Status(grpc::StatusCode::DATA_LOSS, "")), "DATA_LOSS");
  EXPECT_EQ(Describe(grpc::Status(static_cast<grpc::StatusCode>(20), "?")), "code 20: ?");
}

TEST(RpcTest, DescriptionIsBounded) {
  const grpc::Status status(grpc::StatusCode::INTERNAL, std::string(100'000, 'x'));
  EXPECT_EQ(Describe(status).size(), 512u);
}

}  // namespace
}  // namespace dra_health
