#include "discovery/registry_watcher.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <spdlog/spdlog.h>

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// Reading a folder of a few names costs microseconds, a driver found late costs a false Unknown.
constexpr seconds kIntervalWithoutInotify{1};
// A permission is granted by a person; nothing is gained by asking often.
constexpr seconds kIntervalUnreadable{60};

fs::path NearestExisting(const fs::path& wanted) {
  fs::path folder = wanted;
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::is_directory(folder, ignored)) {
    folder = folder.parent_path();
  }
  return folder.empty() ? fs::path(".") : folder;
}

bool LiesIn(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

RegistryWatcher::RegistryWatcher(const fs::path& folder, seconds rescan_interval,
                                 const Clock& clock,
                                 FolderWatch watch)
    : folder_((folder / "").parent_path()),  // without a slash at its end
      rescan_interval_(rescan_interval),
      clock_(clock),
      watch_(std::move(watch)) {}

RegistryChanges RegistryWatcher::Poll() {
  const bool woken = watch_.Drain();
  const BootTime now = clock_.Now().boot;
  if (!woken && now < next_scan_) return {};
  const SocketScan scan = Scan();
  Tell(scan);
  next_scan_ = now + UntilNextScan(scan);
  return Compare(scan);
}

SocketScan RegistryWatcher::Scan() {
  watch_error_ = watch_.Open();
  const auto add_watch = [this](const fs::path& folder) {
    const int error = watch_.Add(folder);
    // Only this one is about inotify (fs.inotify.max_user_watches); the scan tells of the others.
    if (error == ENOSPC) watch_error_ = error;
  };
  SocketScan scan = ScanSockets(folder_, add_watch);
  if (scan.missing) {
    WatchForFolder();
    scan = ScanSockets(folder_, add_watch);  // it may have been made before it was watched for
  }
  watch_.KeepAdded();
  return scan;
}

// The folder, or one above it, can only appear in the nearest one that exists.
void RegistryWatcher::WatchForFolder() {
  fs::path watched;
  for (fs::path nearest = NearestExisting(folder_); nearest != watched;
       nearest = NearestExisting(folder_)) {
    watched = nearest;
    watch_.Add(watched);
  }
}

RegistryChanges RegistryWatcher::Compare(const SocketScan& scan) {
  RegistryChanges changes;
  const auto is_hidden = [&scan](const fs::path& socket) {
    return std::any_of(scan.unreadable.begin(), scan.unreadable.end(),
                       [&](const auto& folder) { return LiesIn(socket, folder.first); });
  };
  std::erase_if(known_, [&](const auto& known) {
    const auto seen = scan.sockets.find(known.first);
    const bool same = seen != scan.sockets.end() && seen->second == known.second.identity;
    if (same || is_hidden(known.first)) return false;
    changes.gone.push_back(known.second.id);
    return true;
  });

  std::vector<std::pair<SocketIdentity, fs::path>> fresh;
  for (const auto& [path, identity] : scan.sockets) {
    if (!known_.contains(path)) fresh.emplace_back(identity, path);
  }
  std::sort(fresh.begin(), fresh.end());
  for (auto& [identity, path] : fresh) {
    known_[path] = {.id = ++last_id_, .identity = identity};
    changes.found.push_back({.id = last_id_, .path = std::move(path)});
  }
  return changes;
}

void RegistryWatcher::Tell(const SocketScan& scan) {
  TellWatching();
  TellMissing(scan.missing);
  for (const auto& [folder, error] : scan.unreadable) {
    if (!told_unreadable_.insert(folder).second) continue;
    spdlog::error(
        "cannot look for drivers in {}: {}; it takes uid 0 or CAP_DAC_READ_SEARCH, and with "
        "SELinux "
        "a policy that lets this process read it; looking again every {} s",
        folder.string(), error.message(), kIntervalUnreadable.count());
  }
  std::erase_if(told_unreadable_, [&](const fs::path& folder) {
    if (scan.unreadable.contains(folder)) return false;
    spdlog::info("{} is no longer closed to us", folder.string());
    return true;
  });
}

void RegistryWatcher::TellMissing(bool missing) {
  if (told_first_ && missing == told_missing_) return;
  told_first_ = true;
  told_missing_ = missing;
  if (missing) {
    spdlog::warn(
        "waiting for the registration folder {}: it does not exist; a kubelet makes it when it "
        "starts, below its root folder, which need not be /var/lib/kubelet",
        folder_.string());
  } else {
    spdlog::info("looking for drivers in {}", folder_.string());
  }
}

void RegistryWatcher::TellWatching() {
  if (watch_error_ == std::exchange(told_watch_error_, watch_error_)) return;
  if (watch_error_ == 0) {
    spdlog::info("inotify watches the registration folder again");
    return;
  }
  spdlog::warn(
      "inotify cannot watch the registration folder: {}; looking every {} s instead (the limits "
      "are "
      "fs.inotify.max_user_instances and fs.inotify.max_user_watches)",
      std::strerror(watch_error_), kIntervalWithoutInotify.count());
}

std::chrono::nanoseconds RegistryWatcher::UntilNextScan(const SocketScan& scan) const {
  if (scan.unreadable.contains(folder_)) return std::max(rescan_interval_, kIntervalUnreadable);
  if (watch_error_ != 0) return std::min(rescan_interval_, kIntervalWithoutInotify);
  return rescan_interval_;
}

}  // namespace dra_health
