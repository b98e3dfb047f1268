#include "cli/setting.h"

#include <cctype>

namespace dra_health {
namespace {

char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

}  // namespace

std::string FlagName(std::string_view name) { return "--" + std::string(name); }

std::string KeyName(std::string_view name) {
  std::string key;
  bool capital = false;
  for (const char c : name) {
    if (c != '-') key += capital ? Upper(c) : c;
    capital = c == '-';
  }
  return key;
}

std::string EnvironmentName(std::string_view name) {
  std::string variable = "DRA_HEALTH_";
  for (const char c : name) variable += c == '-' ? '_' : Upper(c);
  return variable;
}

}  // namespace dra_health
