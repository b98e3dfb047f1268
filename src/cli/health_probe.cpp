#include "cli/health_probe.h"

#include <utility>

#include "base/text.h"
#include "observe/health_page.h"
#include "patcher/http/cpprest_client.h"

namespace dra_health {
namespace {

constexpr std::chrono::milliseconds kTimeout{5'000};

HttpAnswer Get(const ListenAddress& address, bool tls, const std::string& target) {
  Credentials credentials;
  credentials.server = {tls, address.host == "0.0.0.0" ? "127.0.0.1" : address.host, address.port,
                        ""};
  credentials.tls.skip_verify = true;
  const auto client = MakeHttpClient(credentials);
  if (!client) return tl::unexpected(HttpError{HttpFault::kConnect, client.error().message});
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  request.timeout = kTimeout;
  return (*client)->Send(request);
}

}  // namespace

ProbeResult ProbeAgent(const ObserveOptions& options, bool ready) {
  const std::string name = ready ? "readyz" : "healthz";
  const std::string target = "/" + name + "?verbose";
  const bool tls = !options.tls_certificate.empty();
  HttpAnswer answer = Get(options.address, tls, target);
  // The agent may have been told by a flag to use TLS, which is not seen from here.
  if (!answer && !tls && answer.error().fault == HttpFault::kBroken) {
    answer = Get(options.address, true, target);
  }
  const std::string where = options.address.ToString();
  if (!answer) return {kExitNoAnswer, "no answer at " + where + ": " + answer.error().why};
  if (!IsHealthPage(name, answer->body)) {
    return {kExitNoAnswer, "what answers at " + where + " is no dra-health-agent (HTTP status " +
                               std::to_string(answer->status) + ")"};
  }
  return {answer->status == 200 ? kExitOk : kExitUnhealthy, std::move(answer->body)};
}

}  // namespace dra_health
