#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/api_server/api_server.h"

namespace dra_health::sim {

struct HttpAnswer {
  int status = 0;     // 0: no answer at all
  std::string body;   // what came of it
  bool whole = true;  // the body came to its end
  std::map<std::string, std::string> headers;
};

// A watch as its client sees it.
class TestWatch {
 public:
  virtual ~TestWatch() = default;
  // The next line; none: the stream has ended, in peace or not.
  virtual std::optional<std::string> NextLine() = 0;
  virtual bool broken() const = 0;  // it did not end in peace
};

// Blocking requests against an ApiServer by cpprestsdk's client, with the server's CA.
class TestClient {
 public:
  explicit TestClient(const ApiServer& server, std::string token = "sim-token",
                      bool client_certificate = false);
  ~TestClient();

  HttpAnswer Get(const std::string& target) { return Send("GET", target, "", ""); }
  HttpAnswer Patch(const std::string& pod, const std::string& patch,
                   const std::string& type = "application/json-patch+json");
  HttpAnswer Send(const std::string& method, const std::string& target, const std::string& body,
                  const std::string& type);
  // Null when the request failed.
  std::unique_ptr<TestWatch> Watch(const std::string& target);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// GET /readyz by OpenSSL alone, verified for the server's literal address: cpprestsdk's client
// cannot connect to an IPv6 literal. "" on any failure.
std::string ReadyzByOpenSsl(const ApiServer& server, const std::string& address);

}  // namespace dra_health::sim
