#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.h"

namespace boost::asio::ssl {
class context;  // NOLINT(readability-identifier-naming): as Boost spells it
}

namespace dra_health {

// Can take connections with a certificate, its chain and its key; TLS 1.2 and newer.
using TlsServer = boost::asio::ssl::context;

// A server's certificate and key from two files, followed when they change.
//
// The files are looked at whenever the server is asked for. Replacing two files is not one step,
// and a file can be half written: what cannot be used is said once, the last good server goes on,
// and the files are read again the next time.
//
// Thread: any, for every method.
class TlsFiles {
 public:
  // Errors: kItem, which file cannot be used and why, or that the two do not belong together.
  static Result<std::shared_ptr<TlsFiles>> Load(std::filesystem::path certificate,
                                                std::filesystem::path key);

  std::shared_ptr<TlsServer> Current();

 private:
  TlsFiles(std::filesystem::path certificate, std::filesystem::path key)
      : certificate_(std::move(certificate)), key_(std::move(key)) {}

  Result<std::shared_ptr<TlsServer>> Read() const;
  std::string Stamp() const;

  const std::filesystem::path certificate_;
  const std::filesystem::path key_;
  std::mutex mutex_;
  std::shared_ptr<TlsServer> server_;  // guarded by mutex_
  std::string stamp_;                  // of the files behind server_; guarded by mutex_
  std::string told_;                   // guarded by mutex_
};

}  // namespace dra_health
