#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>

#include "build_info/commit.h"
#include "cli/commands.h"
#include "cli/library_versions.h"

namespace dra_health {

void AddVersionCommand(CLI::App& app, int&) {
  app.add_subcommand("version", "Show the version, the commit and the libraries")->callback([] {
    std::cout << "dra-health-agent " << build_info::kVersion << '\n'
              << "commit " << build_info::kCommit << '\n';
    for (const auto& [name, version] : LibraryVersions())
      std::cout << name << ' ' << version << '\n';
  });
}

}  // namespace dra_health
