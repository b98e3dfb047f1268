#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "cache/store.h"

namespace dra_health {

// Opens a store that must open; a null pointer, with a failure of the test, where it does not.
inline std::unique_ptr<Store> OpenStore(const std::filesystem::path& path) {
  auto opened = Store::Open(path);
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return nullptr;
  }
  EXPECT_EQ(opened->moved_aside, "") << opened->moved_why;
  return std::move(opened->store);
}

template <typename T>
testing::AssertionResult Succeeded(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.error().message;
}

}  // namespace dra_health
