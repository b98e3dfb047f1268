#pragma once

namespace CLI {
class App;
}

namespace dra_health {

// The whole program: parses the command line, runs one subcommand and returns its exit code
// (exit_codes.h). main() is a shell around it.
int Main(int argc, char** argv);

// Each adds one subcommand with its options to `app`. The subcommand runs while the command line is
// parsed and leaves its result in `exit_code`, which must outlive the parsing.
void AddRunCommand(CLI::App& app, int& exit_code);
void AddCacheCommand(CLI::App& app, int& exit_code);
void AddExplainCommand(CLI::App& app, int& exit_code);
void AddReleaseCommand(CLI::App& app, int& exit_code);
void AddDemoCommand(CLI::App& app, int& exit_code);
void AddHealthCommand(CLI::App& app, int& exit_code);
void AddVersionCommand(CLI::App& app, int& exit_code);

}  // namespace dra_health
