#include "model/settings.h"

#include <gtest/gtest.h>

namespace dra_health {
namespace {

using namespace std::chrono_literals;

TEST(Settings, ADriverThatIsNotNamedHasTheDefaults) {
  const Settings settings;
  EXPECT_TRUE(settings.ForDriver("gpu.example.com").watch);
  EXPECT_FALSE(settings.ForDriver("gpu.example.com").lease);
  EXPECT_FALSE(settings.ForDriver("gpu.example.com").probe);
}

TEST(Settings, ADriverThatIsNamedHasItsOwn) {
  Settings settings;
  settings.drivers["gpu.example.com"] = {.watch = false, .lease = 60s, .probe = true};
  EXPECT_FALSE(settings.ForDriver("gpu.example.com").watch);
  EXPECT_EQ(settings.ForDriver("gpu.example.com").lease, 60s);
  EXPECT_TRUE(settings.ForDriver("other.example.com").watch);
}

}  // namespace
}  // namespace dra_health
