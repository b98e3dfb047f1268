#include "cli/cache_report.h"

#include <ostream>
#include <string_view>

#include "cache/store_reader.h"
#include "cli/cache_json.h"
#include "cli/cache_tables.h"

namespace dra_health {
namespace {

bool IsAny(const StoreFilter& filter) {
  return filter.driver || filter.device || filter.pod || filter.health || filter.since;
}

class Report {
 public:
  Report(StoreReader& reader, const CacheRequest& request, const CacheOutput& output)
      : reader_(reader), request_(request), output_(output) {}

  Result<void> Print() {
    const StoreFilter& filter = request_.filter;
    switch (request_.topic) {
      case CacheTopic::kDevices:
        return PrintRows("devices", reader_.Devices(filter));
      case CacheTopic::kDrivers:
        return PrintRows("drivers", reader_.Drivers(filter));
      case CacheTopic::kPods:
        return PrintRows("pods", reader_.Pods(filter));
      case CacheTopic::kTransitions:
        return PrintTransitions();
      case CacheTopic::kDiff:
        return PrintRows("differences", reader_.Differences(filter));
      case CacheTopic::kInfo:
        return PrintInfo();
      case CacheTopic::kExport:
        break;
    }
    return Export();
  }

 private:
  template <typename Record>
  Result<void> PrintRows(std::string_view what, const Result<std::vector<Record>>& records) {
    if (!records) return tl::unexpected(records.error());
    if (records->empty()) {
      output_.err << "No " << what
                  << (IsAny(request_.filter) ? " match the filters.\n" : " in the store.\n");
    }
    if (request_.format == CacheFormat::kJson) {
      output_.out << ToJson(*records);
    } else if (!records->empty()) {
      ToTable(*records, request_.format == CacheFormat::kWide, output_.now)
          .Print(output_.out, output_.terminal);
    }
    return {};
  }

  // One more is asked for than shown, to know whether something is left out.
  Result<void> PrintTransitions() {
    const std::size_t limit = request_.limit;
    auto records = reader_.Transitions(request_.filter, limit == 0 ? 0 : limit + 1);
    const bool cut = records && limit > 0 && records->size() > limit;
    if (cut) records->erase(records->begin());
    auto printed = PrintRows("transitions", records);
    if (cut) {
      output_.err << "Only the newest " << limit << " are shown; --limit 0 shows all.\n";
    }
    return printed;
  }

  Result<void> PrintInfo() {
    const auto info = reader_.Info();
    if (!info) return tl::unexpected(info.error());
    output_.out << (request_.format == CacheFormat::kJson ? ToJson(*info)
                                                          : ToText(*info, output_.now));
    return {};
  }

  // Ends early where nobody takes the lines any more.
  Result<void> Export() {
    return reader_.Visit([&](const StoredRecord& record) {
      return static_cast<bool>(output_.out << ToJsonLine(record) << '\n');
    });
  }

  StoreReader& reader_;
  const CacheRequest& request_;
  const CacheOutput& output_;
};

}  // namespace

ExitCode ReportCache(const CacheRequest& request, const CacheOutput& output) {
  const auto printed = StoreReader::Open(request.store).and_then([&](StoreReader reader) {
    return Report(reader, request, output).Print();
  });
  if (!printed) {
    output.err << "dra-health-agent cache: " << printed.error().message << '\n';
    return kExitStoreUnreadable;
  }
  return kExitOk;
}

}  // namespace dra_health
