#include "observe/observer.h"

#include <spdlog/spdlog.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/health_page.h"

namespace dra_health {
namespace {

// More than anybody who looks for good reasons; the rest gets what was seen last.
constexpr std::size_t kMostWaiting = 64;

bool IsVerbose(std::string_view query) {
  while (!query.empty()) {
    const auto end = query.find('&');
    const std::string_view item = query.substr(0, end);
    if (item.substr(0, item.find('=')) == "verbose") return true;
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
  }
  return false;
}

}  // namespace

struct Observer::Shared : std::enable_shared_from_this<Shared> {
  Shared(const Clock& clock, EventQueue& events, Look looks)
      : queue(events), look(std::move(looks)), board(clock) {}

  EventQueue& queue;
  const Look look;
  Metrics metrics;
  HealthBoard board;

  std::mutex mutex;
  std::vector<std::function<void()>> waiting;  // guarded by mutex
  bool stopped = false;                        // guarded by mutex

  void Handle(const PageRequest& request, const Listener::Answer& answer) {
    const auto self = shared_from_this();
    const bool verbose = IsVerbose(request.query);
    if (request.path == "/healthz") {
      answer([self, verbose] { return HealthPage("healthz", self->board.Live(), verbose); });
    } else if (request.path == "/readyz") {
      AfterLook(answer,
                [self, verbose] { return HealthPage("readyz", self->board.Ready(), verbose); });
    } else if (request.path == "/metrics") {
      AfterLook(answer, [self] {
        return Page{200, "text/plain; version=0.0.4; charset=utf-8", self->metrics.Text()};
      });
    } else {
      answer([] {
        Page page;
        page.status = 404;
        page.body = "there are /metrics, /healthz and /readyz\n";
        return page;
      });
    }
  }

  void AfterLook(const Listener::Answer& answer, Listener::MakePage make) {
    bool first = false;
    {
      const std::lock_guard lock(mutex);
      if (stopped || waiting.size() >= kMostWaiting || !board.LoopIsPrompt()) {
        return answer(std::move(make));
      }
      first = waiting.empty();
      waiting.emplace_back([answer, make = std::move(make)] { answer(make); });
    }
    if (first) queue.Push(MainTask([self = shared_from_this()] { self->LookOnce(); }));
  }

  void LookOnce() {
    Observation seen = look();
    metrics.Set(seen);
    board.Set(std::move(seen.checks));
    board.Turned();
    AnswerAll();
  }

  void AnswerAll() {
    std::vector<std::function<void()>> all;
    {
      const std::lock_guard lock(mutex);
      all.swap(waiting);
    }
    for (const auto& one : all) one();
  }
};

Observer::Observer(ObserveOptions options, const Clock& clock, OpenListener open,
                   std::shared_ptr<Shared> shared)
    : options_(std::move(options)),
      clock_(clock),
      open_(std::move(open)),
      shared_(std::move(shared)) {}

Result<std::unique_ptr<Observer>> Observer::Create(ObserveOptions options, const Clock& clock,
                                                   EventQueue& queue, Look look,
                                                   OpenListener open) {
  auto shared = std::make_shared<Shared>(clock, queue, std::move(look));
  std::unique_ptr<Observer> observer(
      new Observer(std::move(options), clock, std::move(open), std::move(shared)));
  const ObserveOptions& wanted = observer->options_;
  if (wanted.address.off()) return observer;
  if (!wanted.tls_certificate.empty()) {
    auto tls = TlsFiles::Load(wanted.tls_certificate, wanted.tls_key);
    if (!tls) return tl::unexpected(tls.error());
    observer->tls_ = *std::move(tls);
  }
  const auto listening = observer->Listen();
  if (listening) return observer;
  if (wanted.required) return Fail(ErrorKind::kItem, listening.error().message);
  spdlog::warn("{}; working without /metrics and probes, trying again every {} s",
               listening.error().message, kRetryInterval.count());
  observer->retry_at_ = clock.Now().boot + kRetryInterval;
  return observer;
}

Observer::~Observer() { Stop(); }

Metrics& Observer::metrics() { return shared_->metrics; }

void Observer::Turned() {
  shared_->board.Turned();
  const BootTime now = clock_.Now().boot;
  if (now < retry_at_) return;
  retry_at_ = Listen() ? BootTime::max() : now + kRetryInterval;
}

void Observer::Stop() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
  }
  shared_->AnswerAll();
  listener_.reset();
  retry_at_ = BootTime::max();
}

Result<void> Observer::Listen() {
  auto listener =
      open_(options_.address, tls_,
            [shared = shared_](const PageRequest& request, const Listener::Answer& answer) {
              shared->Handle(request, answer);
            });
  if (!listener) return tl::unexpected(listener.error());
  listener_ = *std::move(listener);
  spdlog::info("serving /metrics, /healthz and /readyz on {} ({})", options_.address.ToString(),
               tls_ ? "TLS" : "no TLS");
  return {};
}

}  // namespace dra_health
