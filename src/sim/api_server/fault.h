#pragma once

#include <chrono>
#include <string>

namespace dra_health::sim {

enum class FaultKind {
  // Answers with a metav1.Status instead of doing what was asked.
  kUnauthorized,     // 401
  kForbidden,        // 403, names the missing permission
  kNotFound,         // 404
  kConflict,         // 409
  kGone,             // 410 as an HTTP status
  kFailedTest,       // 422, a `test` operation of the patch did not hold
  kInvalidField,     // 422, validation: details.causes[] name Fault::field
  kPolicyDenied,     // 422, an admission policy's denial: the message names the policy
  kTooManyRequests,  // 429 with Retry-After
  kInternalError,    // 500
  kUnavailable,      // 503
  kHtml,             // 200 with an HTML page, as a proxy in between gives
  // The request is carried out, but the answer does not arrive as it should. Of these only kCut and
  // kHang make sense for a watch.
  kCut,       // the connection is reset before the first byte of the answer
  kHang,      // no answer, ever
  kDrip,      // the body comes one byte per Fault::interval
  kTruncate,  // the connection ends in the middle of the body
  // For watches: opened and caught up, and then:
  kWatchGone,     // an ERROR event with code 410, and the end of the stream
  kWatchGarbage,  // a line that is not JSON; the stream goes on
  kWatchClosed,   // the server closes in peace
  kWatchSilent,   // nothing more comes, not even bookmarks
};

// What shall go wrong with which requests. Empty matchers match everything.
struct Fault {
  FaultKind kind = FaultKind::kInternalError;
  std::string verb;   // "get", "list", "watch" or "patch"
  std::string path;   // a part of the path with its query
  int times = 1;      // how many requests it hits; -1: every one until ClearFaults
  std::string field;  // kInvalidField: the cause's field
  std::chrono::seconds retry_after{1};
  std::chrono::milliseconds interval{20};
};

}  // namespace dra_health::sim
