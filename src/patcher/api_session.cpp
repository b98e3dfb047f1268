#include "patcher/api_session.h"

#include <utility>

namespace dra_health {

HttpAnswer ApiSession::Send(HttpRequest request) {
  return Twice(std::move(request), [this](const HttpRequest& r) { return http_.Send(r); });
}

HttpAnswer ApiSession::Stream(HttpRequest request, const std::function<void()>& on_open,
                              const HttpClient::OnData& on_data) {
  return Twice(std::move(request),
               [&](const HttpRequest& r) { return http_.Stream(r, on_open, on_data); });
}

HttpAnswer ApiSession::Twice(HttpRequest request,
                             const std::function<HttpAnswer(const HttpRequest&)>& once) {
  const BootTime start = clock_.Now().boot;
  request.token = token_.Current(start);
  HttpAnswer answer = once(request);

  const bool unauthorized = answer && answer->status == 401;
  const bool broken = !answer && answer.error().fault == HttpFault::kBroken;
  if (!unauthorized && !broken) return answer;
  const BootTime now = clock_.Now().boot;
  const auto left = request.timeout - std::chrono::ceil<std::chrono::milliseconds>(now - start);
  if (left.count() <= 0) return answer;
  request.timeout = left;
  if (unauthorized) {
    token_.Reread(now);
    request.token = token_.Current(now);
  }
  return once(request);
}

}  // namespace dra_health
