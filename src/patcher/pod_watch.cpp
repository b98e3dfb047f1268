#include "patcher/pod_watch.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include "patcher/api_requests.h"
#include "patcher/api_status.h"
#include "patcher/line_splitter.h"

namespace dra_health {

PodWatch::PodWatch(std::string node, std::string server, ApiSession& session, const Clock& clock,
                   EventQueue& queue, StopSignal& stop, WatchTimes times)
    : node_(std::move(node)),
      server_(std::move(server)),
      session_(session),
      clock_(clock),
      queue_(queue),
      stop_(stop),
      times_(times),
      backoff_(times.backoff) {}

void PodWatch::Run() {
  while (!stop_.stopped()) {
    CheckNode();
    retry_after_ = {};
    const Next next = resource_version_.empty() ? List() : Watch();
    if (next == Next::kAtOnce) continue;
    watching_ = false;
    stop_.WaitFor(std::max(backoff_.Next(), std::min(retry_after_, times_.backoff.most)));
  }
}

// Only a node name that is wrong is worth a word: everything else fails at the list too.
void PodWatch::CheckNode() {
  if (node_settled_) return;
  HttpRequest request = GetNode(node_);
  request.timeout = times_.request;
  const HttpAnswer answer = session_.Send(std::move(request));
  if (!answer) return;
  const std::optional<ApiStatus> status = ReadApiStatus(answer->body);
  if (answer->status == 200) {
    node_settled_ = true;
    node_log_.Clear("the API server knows node \"" + node_ + "\" now");
  } else if (answer->status == 404 && status) {
    node_log_.Error("the API server at " + server_ + " knows no node \"" + node_ +
                    "\", so no pods will be found; check --node-name (or NODE_NAME): it is the "
                    "name that `kubectl get nodes` shows");
  } else if (answer->status == 403 && status) {
    node_settled_ = true;
    node_log_.Warn("missing permission to get nodes: node name \"" + node_ +
                   "\" is used unchecked: GET node: " + Describe(*answer, status));
  }
}

PodWatch::Next PodWatch::List() {
  HttpRequest request = ListPods(node_);
  request.timeout = times_.request;
  const HttpAnswer answer = session_.Send(std::move(request));
  if (!answer || answer->status != 200) return Refused("LIST", answer);
  Result<PodList> list = ReadPodList(answer->body);
  if (!list) {
    log_.Warn(Tried("LIST") + list.error().message + " (" + Describe(*answer) + ")");
    return Next::kAfterBackoff;
  }
  for (const std::string& why : list->unreadable) spdlog::warn("left out of the list: {}", why);
  resource_version_ = std::move(list->resource_version);
  Answering();
  queue_.Push(Event{event::PodsListed{std::move(list->pods)}});
  return Next::kAtOnce;
}

PodWatch::Next PodWatch::Watch() {
  std::uniform_int_distribution<std::int64_t> jitter(times_.shortest.count(),
                                                     times_.longest.count());
  const std::chrono::seconds lasting{jitter(random_)};
  HttpRequest request = WatchPods(node_, resource_version_, lasting);
  request.timeout = lasting + times_.grace;
  request.open_timeout = times_.open;
  request.quiet_timeout = times_.quiet;

  opened_ = got_event_ = error_event_ = expired_ = false;
  bad_stream_.clear();
  LineSplitter lines;
  const BootTime start = clock_.Now().boot;
  const HttpAnswer answer = session_.Stream(
      std::move(request),
      [this] {
        opened_ = true;
        watching_ = true;
        Answering();
      },
      [&](std::string_view data) {
        const auto state = lines.Feed(data, [this](std::string_view line) { return OnLine(line); });
        if (state == LineSplitter::State::kTooLong) bad_stream_ = "a line that does not end";
        return state == LineSplitter::State::kMore;
      });

  lasted_ = opened_ && clock_.Now().boot - start >= times_.brief;
  if (lasted_) Working();
  if (expired_) return Expired();
  if (answer && lines.inside_line()) bad_stream_ = "the stream ends within a line";
  return bad_stream_.empty() ? AfterWatch(answer) : AfterBadStream(bad_stream_);
}

// False ends the watch.
bool PodWatch::OnLine(std::string_view line) {
  Result<WatchEvent> event = ReadWatchLine(line);
  if (!event) {
    bad_stream_ = event.error().message;
    return false;
  }
  if (const auto* error = std::get_if<watch::ServerError>(&event->what)) {
    error_event_ = true;
    expired_ = error->status.IsExpired();
    if (!expired_) bad_stream_ = "an ERROR event: " + error->status.message;
    return false;
  }
  if (!event->resource_version.empty()) resource_version_ = std::move(event->resource_version);
  got_event_ = true;
  Working();
  if (auto* changed = std::get_if<watch::Changed>(&event->what)) {
    queue_.Push(Event{event::PodChanged{std::move(changed->pod)}});
  } else if (auto* deleted = std::get_if<watch::Deleted>(&event->what)) {
    queue_.Push(Event{event::PodDeleted{std::move(deleted->uid)}});
  } else if (const auto* unreadable = std::get_if<watch::Unreadable>(&event->what)) {
    spdlog::warn("left out of the watch: {}", unreadable->why);
  }
  return true;
}

PodWatch::Next PodWatch::AfterWatch(const HttpAnswer& answer) {
  if (!answer) {
    // Half open, or a server without bookmarks: the next request tells, and nothing is lost.
    const HttpFault fault = answer.error().fault;
    const bool silent = fault == HttpFault::kQuiet || fault == HttpFault::kTimeout;
    return silent && lasted_ ? Next::kAtOnce : Refused("WATCH", answer);
  }
  if (answer->status != 200) return Refused("WATCH", answer);
  if (lasted_) return Next::kAtOnce;  // the server ended it in peace, as every few minutes
  if (!got_event_) log_.Warn(Tried("WATCH") + "it is closed again at once");
  return Next::kAfterBackoff;
}

PodWatch::Next PodWatch::AfterBadStream(const std::string& why) {
  // After an ERROR event nothing says that the server could go on from there.
  if (error_event_) resource_version_.clear();
  ++bad_streams_;
  log_.Warn(Tried("WATCH") + why);
  return Next::kAfterBackoff;
}

PodWatch::Next PodWatch::Expired() {
  resource_version_.clear();
  return std::exchange(watch_worked_, false) ? Next::kAtOnce : Next::kAfterBackoff;
}

PodWatch::Next PodWatch::Refused(const std::string& what, const HttpAnswer& answer) {
  if (!answer) {
    if (answer.error().fault == HttpFault::kStopped) return Next::kAfterBackoff;
    outage_ = was_connected_;
    log_.Warn(Tried(what) + answer.error().why);
    return Next::kAfterBackoff;
  }
  const std::optional<ApiStatus> status = ReadApiStatus(answer->body);
  if (status && status->IsExpired() && !resource_version_.empty()) return Expired();
  retry_after_ = answer->retry_after;
  if (answer->status == 403 && status) {
    log_.Error("missing permission to list and watch pods: " + Tried(what) +
               Describe(*answer, status));
    return Next::kAfterBackoff;
  }
  if (answer->status >= 500 || answer->status == 429) outage_ = was_connected_;
  log_.Warn(Tried(what) + Describe(*answer, status));
  return Next::kAfterBackoff;
}

// The server has answered one request: an outage, if there was one, is over.
void PodWatch::Answering() {
  was_connected_ = true;
  if (!std::exchange(outage_, false)) return;
  log_.Clear("the API server at " + server_ + " answers again");
  queue_.Push(Event{event::ApiReconnected{}});
}

// The watch has done what it is for: the next failure is a new one.
void PodWatch::Working() {
  watch_worked_ = true;
  backoff_.Reset();
  log_.Clear("the watch of the pods of node " + node_ + " works again (" +
             std::to_string(bad_streams_) + " streams so far could not be followed)");
}

std::string PodWatch::Tried(const std::string& what) const {
  return what + " pods of node " + node_ + " at " + server_ + ": ";
}

}  // namespace dra_health
