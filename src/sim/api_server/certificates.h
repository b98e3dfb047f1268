#pragma once

#include <string>

#include "base/error.h"

namespace dra_health::sim {

// PEM texts of a CA and what it signed.
struct Certificates {
  std::string ca;
  std::string server;  // for 127.0.0.1, ::1 and localhost
  std::string server_key;
  std::string client;
  std::string client_key;
};

// A fresh CA each time. Errors: kFatal, with what OpenSSL said.
Result<Certificates> MakeCertificates();

}  // namespace dra_health::sim
