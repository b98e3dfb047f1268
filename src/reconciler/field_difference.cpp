#include "reconciler/field_difference.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dra_health {
namespace {

using Resources = std::map<std::string, ResourceHealth>;

std::string ReasonOf(const FieldDifference& difference) {
  const auto& [ours, theirs] = std::pair(difference.ours, difference.theirs);
  if (!theirs)
    return "the kubelet names no such device: its gate is off, or it has not heard of it";
  if (!ours) return "no claim of the container holds such a device";
  if (ours == theirs) return "only the message differs";
  if (ours == Health::kUnknown)
    return "the kubelet notices only once a minute that a lease is over";
  if (theirs == Health::kUnknown) {
    return "the kubelet forgets health when a stream or a lease ends, until it changes";
  }
  return "one of both has not heard the last report, or a guard holds an older value";
}

const std::vector<ResourceHealth>* Find(const std::vector<ResourceStatus>& entries,
                                        const std::string& name) {
  const auto found = std::ranges::find(entries, name, &ResourceStatus::name);
  return found == entries.end() ? nullptr : &found->resources;
}

// By the name that we use.
Resources Translate(const std::vector<ResourceHealth>& said, const Resources& ours,
                    const CdiNames& names) {
  Resources all;
  for (const ResourceHealth& resource : said) {
    const auto same = std::ranges::find_if(ours, [&](const auto& our) {
      const auto name = names.find(our.first);
      return name != names.end() && name->second == resource.resource_id &&
             !all.contains(our.first);
    });
    const bool translated = !ours.contains(resource.resource_id) && same != ours.end();
    all.emplace(translated ? same->first : resource.resource_id, resource);
  }
  return all;
}

// Devices by names that nobody can translate: then only the worst of an entry can be compared.
bool AllStrange(const Resources& theirs, const Resources& ours) {
  return theirs.size() == ours.size() && std::ranges::none_of(theirs, [&](const auto& their) {
           return ours.contains(their.first);
         });
}

ResourceHealth Worst(const Resources& resources) {
  const auto worse = [](const auto& a, const auto& b) {
    return IsWorse(b.second.health, a.second.health);
  };
  return std::max_element(resources.begin(), resources.end(), worse)->second;
}

}  // namespace

void AddDifferences(const std::vector<ResourceStatus>& said, const ContainerPublication& wanted,
                    const CdiNames& names, std::vector<FieldDifference>& all) {
  const auto add = [&](const std::string& entry, const std::string& id, const ResourceHealth* ours,
                       const ResourceHealth* theirs) {
    const auto health = [](const ResourceHealth* resource) {
      return resource == nullptr ? std::nullopt : std::optional(resource->health);
    };
    const auto message = [](const ResourceHealth* resource) {
      return resource == nullptr ? "" : resource->message;
    };
    FieldDifference difference{wanted.container, entry,           id, health(ours), health(theirs),
                               message(ours),    message(theirs), ""};
    if (difference.ours == difference.theirs &&
        difference.our_message == difference.their_message) {
      return;
    }
    difference.reason = ReasonOf(difference);
    all.push_back(std::move(difference));
  };

  for (const ResourceStatus& entry : wanted.entries) {
    Resources ours;
    for (const ResourceHealth& resource : entry.resources) {
      ours.emplace(resource.resource_id, resource);
    }
    const auto* const found = Find(said, entry.name);
    const Resources theirs = found == nullptr ? Resources{} : Translate(*found, ours, names);
    if (!ours.empty() && AllStrange(theirs, ours)) {
      const ResourceHealth our_worst = Worst(ours);
      const ResourceHealth their_worst = Worst(theirs);
      if (our_worst.health != their_worst.health) add(entry.name, "", &our_worst, &their_worst);
      continue;
    }
    for (const auto& [id, resource] : ours) {
      const auto their = theirs.find(id);
      add(entry.name, id, &resource, their == theirs.end() ? nullptr : &their->second);
    }
    for (const auto& [id, resource] : theirs) {
      if (!ours.contains(id)) add(entry.name, id, nullptr, &resource);
    }
  }
  for (const ResourceStatus& entry : said) {
    if (Find(wanted.entries, entry.name) != nullptr) continue;
    for (const ResourceHealth& resource : entry.resources) {
      add(entry.name, resource.resource_id, nullptr, &resource);
    }
  }
}

}  // namespace dra_health
