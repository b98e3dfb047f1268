#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/commands.h"

namespace dra_health {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// Runs the program in this process.
inline Outcome RunProgram(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "dra-health-agent");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = Main(static_cast<int>(argv.size()), argv.data());
  return {exit_code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

}  // namespace dra_health
