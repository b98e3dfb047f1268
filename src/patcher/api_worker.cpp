#include "patcher/api_worker.h"

#include <thread>
#include <utility>

#include "patcher/answers.h"
#include "patcher/api_requests.h"
#include "patcher/api_session.h"
#include "patcher/patch_builder.h"
#include "patcher/stop_signal.h"
#include "patcher/work_queue.h"

namespace dra_health {
namespace {

class ThreadedApiClient final : public ApiClient {
 public:
  ThreadedApiClient(ApiOptions options, const Credentials& credentials,
                    std::unique_ptr<HttpClient> http, EventQueue& queue, const WatchTimes& times)
      : options_(std::move(options)),
        http_(std::move(http)),
        queue_(queue),
        session_(*http_, credentials.token, clock_),
        watch_(options_.node_name, credentials.server.Url(), session_, clock_, queue, stop_, times),
        workers_(options_.workers) {}

  ~ThreadedApiClient() override { Stop(); }

  void Start() override {
    watch_thread_ = std::thread([this] { watch_.Run(); });
  }

  bool watching() const override { return watch_.watching(); }

  void ReadClaim(std::string namespace_name, std::string name, std::string pod_uid) override {
    Do([this, namespace_name = std::move(namespace_name), name = std::move(name),
        pod_uid = std::move(pod_uid)]() -> Event {
      auto claim = ReadClaimAnswer(namespace_name, name,
                                   session_.Send(Timed(GetClaim(namespace_name, name))));
      return event::ClaimRead{namespace_name, name, pod_uid, std::move(claim)};
    });
  }

  void ReadPod(std::string namespace_name, std::string name, std::string uid) override {
    Do([this, namespace_name = std::move(namespace_name), name = std::move(name),
        uid = std::move(uid)]() -> Event {
      auto pod =
          ReadPodAnswer(namespace_name, name, session_.Send(Timed(GetPod(namespace_name, name))));
      return event::PodRead{uid, std::move(pod)};
    });
  }

  void Patch(PodPatch patch) override {
    Do([this, patch = std::move(patch)]() -> Event {
      const Pod& pod = *patch.pod;
      HttpRequest request = PatchPodStatus(pod.namespace_name, pod.name, BuildPatch(patch));
      return ReadPatchAnswer(patch, session_.Send(Timed(std::move(request))));
    });
  }

  void Stop() override {
    // What waits is dropped before what is under way is cancelled: else each cancelled request
    // would make room for the next.
    stop_.Stop();
    workers_.Close();
    workers_.Wait(options_.last_answers);
    http_->Stop();
    workers_.Join();
    if (watch_thread_.joinable()) watch_thread_.join();
  }

 private:
  template <typename Work>
  void Do(Work work) {
    workers_.Add([this, work = std::move(work)] { queue_.Push(work()); });
  }

  HttpRequest Timed(HttpRequest request) const {
    request.timeout = options_.timeout;
    return request;
  }

  const ApiOptions options_;
  const SystemClock clock_;
  const std::unique_ptr<HttpClient> http_;
  EventQueue& queue_;
  StopSignal stop_;
  ApiSession session_;
  PodWatch watch_;
  WorkQueue workers_;
  std::thread watch_thread_;
};

}  // namespace

std::unique_ptr<ApiClient> MakeApiClient(ApiOptions options, const Credentials& credentials,
                                         std::unique_ptr<HttpClient> http, EventQueue& queue,
                                         WatchTimes times) {
  return std::make_unique<ThreadedApiClient>(std::move(options), credentials, std::move(http),
                                             queue, times);
}

}  // namespace dra_health
