#include "reconciler/cdi_table.h"

#include <algorithm>
#include <array>

namespace dra_health {
namespace {

using std::chrono::seconds;

// How long after the last look the next one comes; the first is for the kubelet's preparation.
constexpr std::array kLooks = {seconds{1}, seconds{5}, seconds{30}, seconds{300}};

}  // namespace

void CdiTable::Allocated(const DeviceKey& key, bool anew, BootTime now) {
  if (!wanted() || (!anew && ids_.contains(key))) return;
  missing_[key] = 0;
  due_ = std::min(due_, now + kLooks[0]);
}

std::vector<DeviceKey> CdiTable::Handle(const event::CdiIdsRead& event, BootTime now,
                                        Effects& effects) {
  asking_ = false;
  std::vector<DeviceKey> news;
  if (event.ids) {
    for (const CdiIdRecord& record : *event.ids) {
      missing_.erase(record.key);
      if (!Learn(record)) continue;
      news.push_back(record.key);
      effects.writes.emplace_back(record);
    }
  }
  due_ = BootTime::max();
  for (auto it = missing_.begin(); it != missing_.end();) {
    if (++it->second == kLooks.size()) {
      it = missing_.erase(it);
    } else {
      due_ = std::min(due_, now + kLooks[it->second]);
      ++it;
    }
  }
  return news;
}

void CdiTable::Tick(BootTime now, Effects& effects) {
  if (asking_ || now < due_) return;
  asking_ = true;
  effects.effects.emplace_back(effect::ReadCdiIds{});
}

std::string CdiTable::ResourceIdOf(const DeviceKey& key) const {
  if (settings_.resource_id == ResourceIdForm::kCdi) {
    if (const auto id = ids_.find(key); id != ids_.end()) return id->second;
  }
  return ResourceId(key);
}

bool CdiTable::Learn(const CdiIdRecord& record) {
  std::string& id = ids_[record.key];
  if (id == record.cdi_id) return false;
  id = record.cdi_id;
  names_[ResourceId(record.key)] = id;
  return true;
}

}  // namespace dra_health
