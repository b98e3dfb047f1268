// The HTTP server over real sockets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <vector>

#include "observe/http/beast_listener.h"
#include "patcher/http/cpprest_client.h"
#include "patcher/http_threads.h"
#include "raw_client.h"
#include "sim/api_server/certificates.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

void Echo(const PageRequest& request, const Listener::Answer& answer) {
  answer([request] {
    Page page;
    page.body = request.path + "|" + request.query;
    return page;
  });
}

class ListenerTest : public testing::Test {
 protected:
  void SetUp() override { StartHttpThreads(); }

  void Open(Listener::Handler handler = Echo, std::shared_ptr<TlsFiles> tls = nullptr) {
    auto opened = OpenHttpListener({"127.0.0.1", port}, std::move(tls), std::move(handler));
    ASSERT_TRUE(opened) << opened.error().message;
    listener = *std::move(opened);
  }

  HttpAnswer Get(const std::string& target, const std::string& ca = "") {
    Credentials credentials;
    credentials.server = {!ca.empty(), "127.0.0.1", port, ""};
    credentials.tls.ca.text = ca;
    auto client = MakeHttpClient(credentials);
    EXPECT_TRUE(client) << client.error().message;
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    return (*client)->Send(request);
  }

  const std::uint16_t port = FreePort();
  std::unique_ptr<Listener> listener;
};

TEST_F(ListenerTest, HandsOverPathAndQuery) {
  Open();
  const HttpAnswer answer = Get("/readyz?verbose");
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "/readyz|verbose");
}

TEST_F(ListenerTest, APageMayBeMadeLater) {
  std::promise<Listener::Answer> asked;
  Open([&](const PageRequest&, const Listener::Answer& answer) { asked.set_value(answer); });
  RawClient client(port);
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  asked.get_future().get()([] {
    Page page;
    page.body = "late";
    return page;
  });
  EXPECT_THAT(client.ReadUntil("late"), HasSubstr("late"));
}

TEST_F(ListenerTest, APortThatIsTakenIsAnErrorAndCanBeHadLater) {
  {
    const UniqueFd other = TakePort(port);
    const auto refused = OpenHttpListener({"127.0.0.1", port}, nullptr, Echo);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kRetry);
    EXPECT_EQ(refused.error().message, "cannot listen on 127.0.0.1:" + std::to_string(port) +
                                           ": bind: Address already in use");
  }
  Open();
  EXPECT_TRUE(Get("/"));
}

TEST_F(ListenerTest, OnlyGetIsAnswered) {
  Open();
  RawClient client(port);
  client.Send("DELETE /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 405"));
}

TEST_F(ListenerTest, WhatIsNoPlainGetIsRefusedHoweverOftenItComes) {
  Open();
  for (int i = 0; i < 300; ++i) {
    for (const char* const text :
         {"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
          "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"}) {
      RawClient client(port);
      client.Send(text);
      ASSERT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("405")) << text;
    }
  }
  EXPECT_TRUE(Get("/")) << "and the next one is served";
}

TEST_F(ListenerTest, ALongBodyOrHeaderIsNotRead) {
  Open();
  for (const char* const head : {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n",
                                 "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n",
                                 "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                 "3B9ACA00\r\n",
                                 "GET / HTTP/1.1\r\nHost: a\r\nX: "}) {
    RawClient client(port);
    client.Send(head);
    const std::string piece(1 << 20, 'x');
    int taken = 0;
    while (taken < 64 && client.Send(piece) == piece.size()) ++taken;
    EXPECT_LT(taken, 64) << "MiB of " << head;
  }
  EXPECT_TRUE(Get("/")) << "and the next one is served";
}

TEST_F(ListenerTest, ManyConnectionsLeaveRoomForOthersWhenTheyAreGone) {
  Open();
  {
    std::vector<std::unique_ptr<RawClient>> many;
    for (int i = 0; i < 200; ++i) many.push_back(std::make_unique<RawClient>(port));
    EXPECT_THAT(many.back()->ReadUntil("\r\n"), IsEmpty()) << "one too many is closed at once";
  }
  HttpAnswer answer = Get("/");
  for (int i = 0; i < 1000 && !answer; ++i) answer = Get("/");  // until the server has seen them go
  EXPECT_TRUE(answer);
}

TEST_F(ListenerTest, NonsenseIsNoHarm) {
  Open();
  for (const char* const text : {"\x16\x03\x01\x02\x05\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n",
                                 "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    RawClient client(port);
    client.Send(text);
    client.ReadUntil("\r\n\r\n");
  }
  EXPECT_TRUE(Get("/"));
}

TEST_F(ListenerTest, ItEndsWhateverIsOpen) {
  std::promise<Listener::Answer> asked;
  Open([&](const PageRequest&, const Listener::Answer& answer) { asked.set_value(answer); });
  RawClient idle(port);
  RawClient half(port);
  half.Send("GET / HT");
  RawClient waiting(port);
  waiting.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const Listener::Answer answer = asked.get_future().get();
  listener.reset();
  EXPECT_THAT(idle.ReadUntil("\r\n"), IsEmpty());
  answer([] { return Page{}; });  // nobody is there, and it does no harm
}

class TlsListenerTest : public ListenerTest {
 protected:
  // Returns the authority that signed the new certificate.
  std::string Rotate() {
    const auto made = sim::MakeCertificates();
    EXPECT_TRUE(made);
    std::ofstream(folder / "tls.crt") << made->server;
    std::ofstream(folder / "tls.key") << made->server_key;
    return made->ca;
  }
  void OpenTls() {
    auto files = TlsFiles::Load(folder / "tls.crt", folder / "tls.key");
    ASSERT_TRUE(files) << files.error().message;
    Open(Echo, *files);
  }

  const TempFolder folder;
};

TEST_F(TlsListenerTest, ANewCertificateServesTheNextConnection) {
  const std::string first = Rotate();
  OpenTls();
  EXPECT_TRUE(Get("/", first));
  const std::string second = Rotate();
  EXPECT_TRUE(Get("/", second));
  EXPECT_FALSE(Get("/", first));
}

TEST_F(TlsListenerTest, ABrokenCertificateLeavesTheLastOneInPlace) {
  const std::string first = Rotate();
  OpenTls();
  std::ofstream(folder / "tls.crt") << "half a certifi";
  EXPECT_TRUE(Get("/", first));
}

TEST_F(TlsListenerTest, PlainHttpIsRefused) {
  Rotate();
  OpenTls();
  RawClient client(port);
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), testing::Not(StartsWith("HTTP/1.1 200")));
}

TEST_F(TlsListenerTest, OldTlsIsRefused) {
  Rotate();
  OpenTls();
  RawClient client(port);
  // A ClientHello of TLS 1.1: record header, handshake header, version, random, no session, one
  // cipher, no compression.
  std::string hello("\x16\x03\x01\x00\x2d\x01\x00\x00\x29\x03\x02", 11);
  hello += std::string(32, 'r') + std::string("\x00\x00\x02\xc0\x09\x01\x00", 7);
  client.Send(hello);
  const std::string answer = client.ReadUntil("\x46");  // protocol_version
  ASSERT_THAT(answer, testing::SizeIs(7));
  EXPECT_EQ(answer[0], '\x15') << "an alert";
  EXPECT_EQ(answer[6], '\x46');
}

TEST_F(TlsListenerTest, ItEndsWithinAHandshake) {
  Rotate();
  OpenTls();
  RawClient client(port);
  client.Send("\x16\x03");
  listener.reset();
  EXPECT_THAT(client.ReadUntil("\r\n"), IsEmpty());
}

}  // namespace
}  // namespace dra_health
