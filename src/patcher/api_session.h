#pragma once

#include <chrono>
#include <functional>

#include "base/clock.h"
#include "patcher/http_client.h"
#include "patcher/token_source.h"

namespace dra_health {

// HTTP as one API user: puts the token on each request and repeats, once and in place, what fails
// for reasons of its own: a token that has just expired (401), a pooled connection that the server
// had already closed. A PATCH may be sent twice: ours say the same twice and test what they stand
// on.
//
// Thread: any, for every method. Does not own the HttpClient.
class ApiSession {
 public:
  ApiSession(HttpClient& http, TextSource token, const Clock& clock)
      : http_(http), token_(std::move(token)), clock_(clock) {}

  HttpAnswer Send(HttpRequest request);
  HttpAnswer Stream(HttpRequest request, const std::function<void()>& on_open,
                    const HttpClient::OnData& on_data);

 private:
  HttpAnswer Twice(HttpRequest request, const std::function<HttpAnswer(const HttpRequest&)>& once);

  HttpClient& http_;
  TokenSource token_;
  const Clock& clock_;
};

}  // namespace dra_health
