#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "sim/api_server/http_front.h"
#include "sim/api_server/object_store.h"
#include "sim/api_server/watch_stream.h"

namespace dra_health::sim {

// The answers that are still being sent: watches, and bodies that drip.
//
// Not synchronised; Service's lock protects it. What is destroyed here is closed for its client.
class OpenStreams {
 public:
  explicit OpenStreams(std::chrono::milliseconds bookmark_interval)
      : bookmark_interval_(bookmark_interval) {}

  // Each returns the body to answer with.
  std::shared_ptr<ByteStream> AddWatch(std::unique_ptr<WatchStream> watch, std::string connection,
                                       BootTime now);
  std::shared_ptr<ByteStream> AddDrip(std::string body, std::chrono::milliseconds interval,
                                      std::string connection, BootTime now);

  // Sends what the store has new for each watch. Returns whether a watch ended by it.
  bool Pump(const ObjectStore& store);
  // Sends what is due: bookmarks, a drip's next byte, the end of a watch's time.
  void Tick(const ObjectStore& store, BootTime now);
  std::optional<BootTime> NextDeadline() const;

  void SendBookmarks();
  // The connections of the watches, for a cut; or each broken in another way.
  std::list<std::string> WatchConnections() const;
  std::size_t Break(FaultKind kind);
  void Forget(const std::string& connection);
  void CloseAll();
  std::size_t watches() const;

 private:
  struct Stream {
    std::string connection;
    std::shared_ptr<ByteStream> bytes;
    std::unique_ptr<WatchStream> watch;  // none: a drip
    std::optional<BootTime> ends;        // a watch's timeoutSeconds
    std::string drip;
    std::size_t dripped = 0;
    std::chrono::milliseconds interval{0};  // of drips or bookmarks
    BootTime due;
  };

  // False when the stream is over.
  bool TickOne(Stream& stream, const ObjectStore& store, BootTime now);

  const std::chrono::milliseconds bookmark_interval_;
  std::list<Stream> streams_;
};

}  // namespace dra_health::sim
