#include "habits.h"

#include <chrono>
#include <initializer_list>
#include <iterator>

namespace dra_health {
namespace {

using std::chrono::seconds;

template <typename T>
T OneOf(std::initializer_list<T> all, std::mt19937_64& random) {
  return *std::next(all.begin(), static_cast<std::ptrdiff_t>(random() % all.size()));
}

}  // namespace

Settings SomeSettings(std::mt19937_64& random) {
  using enum PublishMode;
  Settings settings;
  settings.publish =
      OneOf({kAuto, kAuto, kAuto, kAuto, kAuto, kAlways, kAlways, kAlways, kConditionOnly, kNever},
            random);
  settings.hold = OneOf({HoldPods::kAll, HoldPods::kAll, HoldPods::kAll, HoldPods::kNotHealthy,
                         HoldPods::kNotHealthy, HoldPods::kNone},
                        random);
  settings.max_held_pods = OneOf<std::size_t>({1, 2, 4, 110}, random);
  settings.max_patches_in_flight = OneOf<std::size_t>({1, 3}, random);
  settings.resource_id = OneOf({ResourceIdForm::kTriple, ResourceIdForm::kCdi}, random);
  settings.default_lease = OneOf({seconds{15}, seconds{30}, seconds{60}}, random);
  settings.message_interval = OneOf({seconds{10}, seconds{30}}, random);
  settings.reassert_interval = OneOf({seconds{60}, seconds{300}}, random);
  settings.report_grace = OneOf({seconds{2}, seconds{10}, seconds{30}}, random);
  settings.late_report_window = OneOf({seconds{10}, seconds{60}, seconds{120}}, random);
  if (random() % 3 == 0) {
    settings.drivers["gpu.example.com"].lease = OneOf({seconds{12}, seconds{50}}, random);
  }
  if (random() % 12 == 0) {
    settings.drivers[OneOf({"gpu.example.com", "nic.example.com"}, random)].watch = false;
  }
  return settings;
}

std::string DescribeHabits(const Settings& settings) {
  constexpr const char* kPublish[] = {"auto", "always", "condition-only", "never"};
  constexpr const char* kHold[] = {"all", "not-healthy", "none"};
  std::string text = std::string("publish ") + kPublish[static_cast<int>(settings.publish)] +
                     ", hold " + kHold[static_cast<int>(settings.hold)] + " of " +
                     std::to_string(settings.max_held_pods) + " pods";
  if (settings.resource_id == ResourceIdForm::kCdi) text += ", CDI IDs";
  for (const auto& [driver, choice] : settings.drivers) {
    text += ", " + driver + (choice.watch ? " with another lease" : " off");
  }
  return text;
}

}  // namespace dra_health
