#pragma once

#include <string>

namespace dra_health {

struct PageRequest {
  std::string path;   // "/readyz"
  std::string query;  // "verbose", without the question mark
};

struct Page {
  int status = 200;
  std::string content_type{"text/plain; charset=utf-8"};
  std::string body;
};

}  // namespace dra_health
