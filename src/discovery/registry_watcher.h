#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "base/clock.h"
#include "discovery/folder_watch.h"
#include "discovery/socket_scan.h"
#include "model/event.h"

namespace dra_health {

struct FoundSocket {
  PluginId id = 0;
  std::filesystem::path path;
};

// A socket that was replaced is in both: its old id is gone, its new one found.
struct RegistryChanges {
  std::vector<PluginId> gone;
  std::vector<FoundSocket> found;  // in ascending order of id
};

// Keeps track of the sockets in the registration folder, without talking to any of them.
//
// inotify says when to look, a scan says what is there: nothing depends on single inotify events,
// which may be missed, merged or dropped. Ids ascend in the order in which sockets were made,
// within one scan and from scan to scan.
//
// Thread: main. Failure: a missing folder is waited for, an unreadable one is looked at now and
// then (what was known in it stays known), a lack of inotify means looking every second; each is
// said in the log once, when it begins and when it ends.
class RegistryWatcher {
 public:
  RegistryWatcher(const std::filesystem::path& folder, std::chrono::seconds rescan_interval,
                  const Clock& clock, FolderWatch watch = FolderWatch());

  int fd() const { return watch_.fd(); }
  BootTime NextDeadline() const { return next_scan_; }

  // It was there and could be read when last looked at.
  bool sees_folder() const {
    return told_first_ && !told_missing_ && !told_unreadable_.contains(folder_);
  }

  // Looks at the folder if inotify says so or the deadline has come.
  RegistryChanges Poll();

 private:
  struct KnownSocket {
    PluginId id = 0;
    SocketIdentity identity;
  };

  SocketScan Scan();
  void WatchForFolder();
  RegistryChanges Compare(const SocketScan& scan);
  void Tell(const SocketScan& scan);
  void TellMissing(bool missing);
  void TellWatching();
  std::chrono::nanoseconds UntilNextScan(const SocketScan& scan) const;

  const std::filesystem::path folder_;
  const std::chrono::seconds rescan_interval_;
  const Clock& clock_;
  FolderWatch watch_;
  BootTime next_scan_{};
  PluginId last_id_ = 0;
  std::map<std::filesystem::path, KnownSocket> known_;

  int watch_error_ = 0;  // of the last scan; 0: every folder is watched

  // What has been said and still holds.
  bool told_first_ = false;
  bool told_missing_ = false;
  int told_watch_error_ = 0;
  std::set<std::filesystem::path> told_unreadable_;
};

}  // namespace dra_health
