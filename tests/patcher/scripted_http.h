#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "patcher/http_client.h"

namespace dra_health {

// An API server reduced to what the product sees of it: a list of answers. Each request takes the
// first answer whose `target` is a part of the request's; a request without one blocks until Stop,
// as does a stream with `hold` after its pieces.
struct ScriptedAnswer {
  std::string target;
  HttpAnswer answer = HttpResponse{.status = 200};
  std::vector<std::string> pieces;  // of a stream's body
  bool hold = false;
};

class ScriptedHttp final : public HttpClient {
 public:
  void Script(ScriptedAnswer answer);
  HttpAnswer Send(const HttpRequest& request) override;
  HttpAnswer Stream(const HttpRequest& request, const std::function<void()>& on_open,
                    const OnData& on_data) override;
  void Stop() override;

  std::vector<HttpRequest> Requests() const;
  // How many requests had `target` in theirs.
  std::size_t Count(const std::string& target) const;
  // Waits until Count reaches `at_least`; false when that takes longer than anybody would wait.
  bool WaitForCount(const std::string& target, std::size_t at_least) const;
  // Whether Stop was called, or is within `bound`.
  bool IsStoppedWithin(std::chrono::milliseconds bound) const;

 private:
  // Blocks until Stop where there is no answer.
  ScriptedAnswer Take(const HttpRequest& request);
  std::size_t CountLocked(const std::string& target) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<ScriptedAnswer> answers_;
  std::vector<HttpRequest> requests_;
  bool stopped_ = false;
};

// A metav1.Status as an API server answers it.
HttpAnswer StatusAnswer(int code, const std::string& reason, const std::string& message = "m");

}  // namespace dra_health
