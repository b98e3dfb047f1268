#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "loop.h"
#include "sim/driver/driver.h"
#include "tests/support/temp_folder.h"

namespace dra_health {

// A kubelet root with simulated drivers, and discovery looking at it.
class DiscoveryFixture : public ::testing::Test {
 protected:
  DiscoveryFixture() : registry_(folder_ / "reg") { std::filesystem::create_directory(registry_); }

  sim::DriverOptions DriverOptions(const std::string& name = "gpu.example.com") const {
    return {.name = name, .registration_dir = registry_, .plugins_dir = folder_ / "plugins"};
  }

  DiscoveryOptions Options() const { return {.registration_dir = registry_}; }

  Loop& StartLoop() { return StartLoop(Options()); }
  Loop& StartLoop(DiscoveryOptions options) {
    loop_ = std::make_unique<Loop>(std::move(options));
    return *loop_;
  }

  std::size_t Registered() const { return loop_->All<event::PluginRegistered>().size(); }

  TempFolder folder_;
  const std::filesystem::path registry_;
  std::unique_ptr<Loop> loop_;
};

}  // namespace dra_health
