#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/settings.h"

namespace dra_health {

// Which pods may have their field held: all that Settings::hold names, up to
// Settings::max_held_pods. Pods with a device that is not Healthy go before those that are well.
// Pure; one thread.
class HeldPods {
 public:
  explicit HeldPods(const Settings& settings) : settings_(settings) {}

  // May this pod's field be held? To be asked again whenever `healthy` changes.
  bool Ask(const std::string& uid, bool healthy);
  void Remove(const std::string& uid);

  // Whether its place is all that a pod can lack.
  bool Allowed(bool healthy) const;

  // Pods whose answer has changed since: to be asked again.
  std::vector<std::string> TakeChanged() { return std::exchange(changed_, {}); }
  bool full() const { return !waiting_.empty(); }  // some had to be refused for the number alone

 private:
  void Hold(const std::string& uid, bool healthy);
  void LetNextIn();

  const Settings& settings_;
  std::map<std::string, bool> held_;     // uid -> healthy
  std::set<std::string> held_healthy_;   // who goes when others need the room
  std::map<std::string, bool> waiting_;  // uid -> healthy
  std::vector<std::string> changed_;
};

}  // namespace dra_health
