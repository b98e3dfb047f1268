#include "cli/explain_report.h"

#include <ostream>
#include <string>

#include "base/text.h"
#include "cache/store_reader.h"
#include "cli/explain_html.h"
#include "cli/explain_json.h"
#include "cli/explain_text.h"
#include "explain/explain_device.h"
#include "explain/explain_pod.h"

namespace dra_health {
namespace {

struct Refusal {
  ExitCode code;
  std::string why;
};
using Answer = tl::expected<Explanation, Refusal>;

tl::unexpected<Refusal> Refuse(ExitCode code, std::string why) {
  return tl::unexpected<Refusal>(Refusal{code, std::move(why)});
}

Answer ExplainPodOf(StoreReader& reader, const ExplainRequest& request, WallTime now) {
  const auto history = reader.HistoryOfPod(request.pod);
  if (!history) return Refuse(kExitStoreUnreadable, history.error().message);
  if (*history) return ExplainPod(**history, now);
  const PodName& pod = request.pod;
  return Refuse(kExitNotFound, "the store knows no pod " + pod.namespace_name + "/" + pod.name +
                                   (pod.uid ? " with the UID " + *pod.uid : "") +
                                   " that held devices; `cache pods` lists those it knows");
}

Answer ExplainDeviceOf(StoreReader& reader, const ExplainRequest& request, WallTime now) {
  auto named = reader.DevicesNamed(request.device);
  if (!named) return Refuse(kExitStoreUnreadable, named.error().message);
  if (request.pool) {
    std::erase_if(*named, [&](const DeviceKey& key) { return key.pool != *request.pool; });
  }
  if (named->empty()) {
    return Refuse(kExitNotFound, "the store knows no device " + request.device +
                                     (request.pool ? " in pool " + *request.pool : "") +
                                     "; `cache devices` lists those it knows");
  }
  if (named->size() > 1) {
    std::string why = request.device + " fits " + std::to_string(named->size()) +
                      " devices; name one as DRIVER/POOL/DEVICE, and its pool by --pool:";
    for (const DeviceKey& key : *named) {
      why += "\n  " + Printable(ResourceId(key)) + " --pool " + Printable(key.pool);
    }
    return Refuse(kExitUsage, std::move(why));
  }
  const auto history = reader.HistoryOfDevice(named->front());
  if (!history) return Refuse(kExitStoreUnreadable, history.error().message);
  return ExplainDevice(*history, now);
}

Answer Explain(const ExplainRequest& request, WallTime now) {
  auto reader = StoreReader::Open(request.store);
  if (!reader) return Refuse(kExitStoreUnreadable, reader.error().message);
  return request.topic == ExplainTopic::kPod ? ExplainPodOf(*reader, request, now)
                                             : ExplainDeviceOf(*reader, request, now);
}

}  // namespace

ExitCode ReportExplanation(const ExplainRequest& request, const CacheOutput& output) {
  const Answer answer = Explain(request, output.now);
  if (!answer) {
    output.err << "dra-health-agent explain: " << answer.error().why << '\n';
    return answer.error().code;
  }
  switch (request.format) {
    case ExplainFormat::kText:
      PrintText(*answer, output.out, output.terminal);
      break;
    case ExplainFormat::kJson:
      output.out << ToJson(*answer);
      break;
    case ExplainFormat::kHtml:
      output.out << ToHtml(*answer);
      break;
  }
  return kExitOk;
}

}  // namespace dra_health
