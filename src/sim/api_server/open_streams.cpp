#include "sim/api_server/open_streams.h"

#include <algorithm>
#include <utility>

namespace dra_health::sim {

std::shared_ptr<ByteStream> OpenStreams::AddWatch(std::unique_ptr<WatchStream> watch,
                                                  std::string connection, BootTime now) {
  Stream stream;
  stream.connection = std::move(connection);
  stream.bytes = ByteStream::Create();
  if (watch->timeout().count() > 0) stream.ends = now + watch->timeout();
  stream.watch = std::move(watch);
  stream.interval = bookmark_interval_;
  stream.due = now + bookmark_interval_;
  return streams_.emplace_back(std::move(stream)).bytes;
}

std::shared_ptr<ByteStream> OpenStreams::AddDrip(std::string body,
                                                 std::chrono::milliseconds interval,
                                                 std::string connection, BootTime now) {
  Stream stream;
  stream.connection = std::move(connection);
  stream.bytes = ByteStream::Create();
  stream.drip = std::move(body);
  stream.interval = interval;
  stream.due = now;
  return streams_.emplace_back(std::move(stream)).bytes;
}

bool OpenStreams::Pump(const ObjectStore& store) {
  return std::erase_if(streams_, [&](const Stream& stream) {
           if (!stream.watch) return false;
           const std::string lines = stream.watch->Next(store);
           if (!lines.empty()) stream.bytes->Write(lines);
           if (stream.watch->ended()) stream.bytes->Close();
           return stream.watch->ended();
         }) > 0;
}

void OpenStreams::Tick(const ObjectStore& store, BootTime now) {
  std::erase_if(streams_, [&](Stream& stream) {
    const bool goes_on = TickOne(stream, store, now);
    if (!goes_on) stream.bytes->Close();
    return !goes_on;
  });
}

bool OpenStreams::TickOne(Stream& stream, const ObjectStore& store, BootTime now) {
  if (stream.ends && *stream.ends <= now) {
    // A real server, too, ends with where the client can go on.
    stream.bytes->Write(stream.watch->Next(store) + stream.watch->Bookmark());
    return false;
  }
  if (now < stream.due) return true;
  stream.due = now + stream.interval;
  if (stream.watch) {
    if (const std::string bookmark = stream.watch->Bookmark(); !bookmark.empty()) {
      stream.bytes->Write(bookmark);
    }
    return true;
  }
  stream.bytes->Write(std::string_view(stream.drip).substr(stream.dripped++, 1));
  return stream.dripped < stream.drip.size();
}

std::optional<BootTime> OpenStreams::NextDeadline() const {
  std::optional<BootTime> next;
  for (const Stream& stream : streams_) {
    const BootTime due = stream.ends ? std::min(*stream.ends, stream.due) : stream.due;
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

void OpenStreams::SendBookmarks() {
  for (const Stream& stream : streams_) {
    if (!stream.watch) continue;
    if (const std::string line = stream.watch->Bookmark(); !line.empty()) stream.bytes->Write(line);
  }
}

std::list<std::string> OpenStreams::WatchConnections() const {
  std::list<std::string> connections;
  for (const Stream& stream : streams_) {
    if (stream.watch) connections.push_back(stream.connection);
  }
  return connections;
}

std::size_t OpenStreams::Break(FaultKind kind) {
  for (const Stream& stream : streams_) {
    if (stream.watch) stream.watch->Break(kind);
  }
  return watches();
}

void OpenStreams::Forget(const std::string& connection) {
  std::erase_if(streams_, [&](const Stream& stream) {
    if (stream.connection != connection) return false;
    stream.bytes->Close();
    return true;
  });
}

void OpenStreams::CloseAll() {
  for (const Stream& stream : streams_) stream.bytes->Close();
  streams_.clear();
}

std::size_t OpenStreams::watches() const {
  return static_cast<std::size_t>(std::count_if(
      streams_.begin(), streams_.end(), [](const Stream& stream) { return !!stream.watch; }));
}

}  // namespace dra_health::sim
