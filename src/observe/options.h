#pragma once

#include <filesystem>

#include "observe/listen_address.h"

namespace dra_health {

struct ObserveOptions {
  ListenAddress address;  // off: nobody can look
  // Somebody counts on this address: the agent does not start where it cannot be had. Otherwise it
  // works without and tries again.
  bool required = false;
  // PEM; both or none. REQUIRES: with them where the address is not of this machine alone.
  std::filesystem::path tls_certificate;
  std::filesystem::path tls_key;
};

}  // namespace dra_health
