#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "model/event.h"
#include "model/event_queue.h"

namespace dra_health {

struct DiscoveryOptions {
  std::filesystem::path registration_dir;     // usually <kubelet root>/plugins_registry
  std::filesystem::path pod_resources;        // the kubelet's socket for ReadCdiIds
  std::chrono::seconds rescan_interval{10};   // inotify can miss events, or not be there at all
  std::chrono::seconds info_timeout{1};       // the kubelet gives GetInfo 1 s
  std::size_t max_report_bytes = 16u << 20;   // a larger report ends its stream
  std::size_t max_devices_per_report = 4096;  // the rest of a report is dropped and counted
};

// Finds the DRA drivers of the node and carries their health streams.
//
// Watches the registration folder, sub-folders included, asks every new socket GetInfo until it has
// answered once, and pushes PluginRegistered / PluginDeregistered for those of type DRAPlugin.
// A socket is new when its inode (device, inode number, mtime) is. Never calls
// NotifyRegistrationStatus: that call is the kubelet's, and registrars act on it.
// Streams are opened and closed on request and push StreamOpened, ReportReceived and StreamEnded;
// retrying is the caller's business. A report is handed over before the next is read, so a driver
// that floods is slowed down by its own stream.
//
// Thread: main, for every method. gRPC's threads only convert and push to the queue.
class Discovery {
 public:
  virtual ~Discovery() = default;
  static std::unique_ptr<Discovery> Create(DiscoveryOptions options, const Clock& clock,
                                           EventQueue& queue);

  // Readable when the folder changed; -1 where inotify is not available (said once in the log).
  // It can change between calls, as when the folder is replaced.
  virtual int fd() const = 0;
  // Call when fd() is readable and when NextDeadline() has come; harmless at any time.
  virtual void Poll() = 0;
  virtual BootTime NextDeadline() const = 0;
  // The registration folder was there and could be read when last looked at.
  virtual bool sees_folder() const = 0;

  virtual void OpenStream(PluginId id, const std::string& endpoint, const std::string& service) = 0;
  // The stream still ends with StreamEnded.
  virtual void CloseStream(PluginId id) = 0;
  // The report has been taken care of: read the next.
  virtual void ReadNext(PluginId id) = 0;

  // Asks the kubelet's PodResources socket; pushes one CdiIdsRead. REQUIRES: not under way.
  virtual void ReadCdiIds() = 0;

  // Cancels every call. Keep taking MainTasks from the queue until open_calls() is 0, then destroy.
  virtual void Stop() = 0;
  virtual std::size_t open_calls() const = 0;
};

}  // namespace dra_health
