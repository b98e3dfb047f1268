#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace dra_health {

// What the caller should do about an error; chosen by how it reacts, not by where it came from.
enum class ErrorKind {
  kRetry,  // passing: the same call may succeed later
  kItem,   // this one item cannot work; go on with the others
  kFatal,  // the process cannot do its job
};

// `message` says what was tried on what and why it failed, once. Nobody wraps it again.
struct Error {
  ErrorKind kind = ErrorKind::kRetry;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace dra_health
