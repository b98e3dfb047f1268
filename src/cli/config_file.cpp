#include "cli/config_file.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "cli/nearest.h"
#include "cli/option_table.h"

namespace dra_health {
namespace {

constexpr std::size_t kLargestFile = 1u << 20;  // a device or a log given by mistake ends here
constexpr const char* kDriversKey = "drivers";

template <typename Target>
const Setting<Target>* FindKey(const std::vector<Setting<Target>>& settings,
                               const std::string& key) {
  const auto found = std::ranges::find_if(settings, [&](const Setting<Target>& setting) {
    return setting.in_file && KeyName(setting.name) == key;
  });
  return found == settings.end() ? nullptr : &*found;
}

template <typename Target>
void AppendKeys(const std::vector<Setting<Target>>& settings, std::vector<std::string>& keys) {
  for (const auto& setting : settings) {
    if (setting.in_file) keys.push_back(KeyName(setting.name));
  }
}

const Setting<RunOptions>* FindRunKey(const std::string& key) {
  for (const OptionGroup& group : RunOptionTable()) {
    if (const auto* setting = FindKey(group.settings, key)) return setting;
  }
  return nullptr;
}

struct IgnoreAll final : YAML::EventHandler {
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// YAML::LoadAll would tell, but finds documents without end in ",](" (yaml-cpp 0.7).
bool HasSeveralDocuments(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  IgnoreAll ignore;
  return parser.HandleNextDocument(ignore) && parser.HandleNextDocument(ignore);
}

// One pass over one file. yaml-cpp throws: Read catches whatever it throws.
class ConfigReader {
 public:
  ConfigReader(std::string file, RunOptions& options) : file_(std::move(file)), options_(options) {}

  Problems Read(const std::string& text) {
    try {
      const auto document = YAML::Load(text);
      if (document.IsNull()) {
        Add(1, "the file says nothing", "at least one key, or no --config");
      } else if (HasSeveralDocuments(text)) {
        Add(1, "the file holds several documents", "one");
      } else {
        ReadRoot(document);
      }
    } catch (const YAML::Exception& error) {
      AddSyntaxError(text, error);
    }
    return std::move(problems_);
  }

 private:
  void ReadRoot(const YAML::Node& root) {
    if (!root.IsMap()) return Add(Line(root), "the file is no map of keys", "key: value lines");
    std::vector<std::string> keys;
    for (const OptionGroup& group : RunOptionTable()) AppendKeys(group.settings, keys);
    keys.emplace_back(kDriversKey);
    ForEachKey(root, "", [&](const std::string& key, int line, const YAML::Node& value) {
      if (key == kDriversKey) return ReadDrivers(value, line);
      const auto* setting = FindRunKey(key);
      if (setting == nullptr) return AddUnknownKey(line, "", key, keys);
      Apply(*setting, options_, key, line, value);
    });
  }

  void ReadDrivers(const YAML::Node& drivers, int line) {
    if (!drivers.IsMap()) return AddKey(line, kDriversKey, "is no map", "driver names as keys");
    const std::string path = std::string(kDriversKey) + ".";
    ForEachKey(drivers, path, [&](const std::string& name, int at, const YAML::Node& value) {
      const auto& kind = DriverNameKind();
      if (const auto checked = kind.parse(name); !checked) {
        return AddKey(at, path + name, "as a driver's name " + checked.error(), kind.allowed);
      }
      ReadDriver(path + name, at, value, options_.agent.settings.drivers[name]);
    });
  }

  void ReadDriver(const std::string& path, int line, const YAML::Node& node,
                  DriverSettings& driver) {
    std::vector<std::string> keys;
    AppendKeys(DriverOptionTable(), keys);
    if (!node.IsMap()) return AddKey(line, path, "is no map", "the keys " + AnyOf(keys));
    ForEachKey(node, path + ".", [&](const std::string& key, int at, const YAML::Node& value) {
      const auto* setting = FindKey(DriverOptionTable(), key);
      if (setting == nullptr) return AddUnknownKey(at, path + ".", key, keys);
      Apply(*setting, driver, path + "." + key, at, value);
    });
  }

  // Calls handle(key, line, value) for each key of `map` that is a word and not a repetition:
  // yaml-cpp hands over repeated keys as they stand, where YAML forbids them.
  template <typename Handle>
  void ForEachKey(const YAML::Node& map, const std::string& path, Handle handle) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const int line = Line(entry.first);
      if (!entry.first.IsScalar()) {
        Add(line, "a key is no plain word", "words");
      } else if (const auto& key = entry.first.Scalar(); !seen.insert(key).second) {
        AddKey(line, path + key, "is there twice", "each key once");
      } else {
        handle(key, line, entry.second);
      }
    }
  }

  template <typename Target>
  void Apply(const Setting<Target>& setting, Target& target, const std::string& key, int line,
             const YAML::Node& value) {
    if (value.IsNull()) return AddKey(line, key, "has no value", setting.allowed);
    if (!value.IsScalar()) return AddKey(line, key, "is no single value", setting.allowed);
    const auto done = setting.set(target, value.Scalar());
    if (!done) AddKey(line, key, done.error(), setting.allowed);
  }

  void AddUnknownKey(int line, const std::string& path, const std::string& key,
                     const std::vector<std::string>& keys) {
    const std::string meant = Nearest(key, keys);
    AddKey(line, path + key,
           meant.empty() ? "is unknown" : "is unknown, did you mean '" + meant + "'?", AnyOf(keys));
  }

  void AddSyntaxError(const std::string& text, const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    std::istringstream lines(text);
    std::string at;
    for (int i = 0; i < line && std::getline(lines, at); ++i) {
    }
    const auto indent = at.substr(0, at.find_first_not_of(" \t"));
    if (indent.find('\t') != std::string::npos) {
      Add(line, "a tab indents this line", "spaces");
    } else {
      Add(line, "the file is no YAML: " + error.msg, "YAML");
    }
  }

  void AddKey(int line, const std::string& key, const std::string& what,
              const std::string& allowed) {
    Add(line, "key '" + key + "': " + what, allowed);
  }
  void Add(int line, const std::string& what, const std::string& allowed) {
    problems_.push_back(file_ + ":" + std::to_string(line) + ": " + Printable(what) +
                        "; allowed: " + allowed);
  }

  static int Line(const YAML::Node& node) { return node.Mark().line + 1; }

  std::string file_;
  RunOptions& options_;
  Problems problems_;
};

}  // namespace

Problems ApplyConfigFile(const std::filesystem::path& path, RunOptions& options) {
  std::ifstream file(path);
  std::string text(kLargestFile + 1, '\0');
  if (!file || !file.read(text.data(), static_cast<std::streamsize>(text.size())).eof()) {
    if (file) return {path.string() + ": is larger than 1MiB"};
    return {path.string() + ": cannot be read: " + std::strerror(errno)};
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return ConfigReader(path.string(), options).Read(text);
}

}  // namespace dra_health
