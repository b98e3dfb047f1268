#include "tests/patcher/scripted_http.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace dra_health {
namespace {

const HttpAnswer kStopped = tl::unexpected(HttpError{HttpFault::kStopped, "stopped"});

}  // namespace

void ScriptedHttp::Script(ScriptedAnswer answer) {
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(answer));
  changed_.notify_all();
}

HttpAnswer ScriptedHttp::Send(const HttpRequest& request) { return Take(request).answer; }

HttpAnswer ScriptedHttp::Stream(const HttpRequest& request, const std::function<void()>& on_open,
                                const OnData& on_data) {
  const ScriptedAnswer script = Take(request);
  const bool opens = !script.pieces.empty() || (script.answer && script.answer->status == 200);
  if (opens) on_open();
  for (const std::string& piece : script.pieces) {
    if (!on_data(piece)) return tl::unexpected(HttpError{HttpFault::kEnded, "ended"});
  }
  if (!script.hold) return script.answer;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_; });
  return kStopped;
}

void ScriptedHttp::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

ScriptedAnswer ScriptedHttp::Take(const HttpRequest& request) {
  std::unique_lock lock(mutex_);
  requests_.push_back(request);
  changed_.notify_all();
  auto found = answers_.end();
  changed_.wait(lock, [&] {
    found = std::ranges::find_if(answers_, [&](const ScriptedAnswer& answer) {
      return request.target.find(answer.target) != std::string::npos;
    });
    return stopped_ || found != answers_.end();
  });
  if (stopped_) return {.answer = kStopped};
  ScriptedAnswer answer = std::move(*found);
  answers_.erase(found);
  return answer;
}

std::vector<HttpRequest> ScriptedHttp::Requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool ScriptedHttp::IsStoppedWithin(std::chrono::milliseconds bound) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, bound, [this] { return stopped_; });
}

std::size_t ScriptedHttp::CountLocked(const std::string& target) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      requests_, [&](const HttpRequest& r) { return r.target.find(target) != std::string::npos; }));
}

std::size_t ScriptedHttp::Count(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  return CountLocked(target);
}

bool ScriptedHttp::WaitForCount(const std::string& target, std::size_t at_least) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds{20},
                           [&] { return CountLocked(target) >= at_least; });
}

HttpAnswer StatusAnswer(int code, const std::string& reason, const std::string& message) {
  const nlohmann::json status{
      {"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}};
  return HttpResponse{.status = code, .body = status.dump()};
}

}  // namespace dra_health
