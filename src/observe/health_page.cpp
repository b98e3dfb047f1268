#include "observe/health_page.h"

#include <algorithm>

namespace dra_health {

Page HealthPage(const std::string& name, const std::vector<Check>& checks, bool verbose) {
  const bool ok = std::ranges::all_of(checks, &Check::ok);
  Page page;
  page.status = ok ? 200 : 500;
  if (ok && !verbose) {
    page.body = "ok";
    return page;
  }
  for (const Check& check : checks) {
    page.body += check.ok() ? "[+]" + check.name + " ok\n"
                            : "[-]" + check.name + " failed: " + check.trouble + "\n";
  }
  page.body += name + " check " + (ok ? "passed" : "failed") + "\n";
  return page;
}

bool IsHealthPage(const std::string& name, const std::string& body) {
  return body == "ok" || body.ends_with(name + " check passed\n") ||
         body.ends_with(name + " check failed\n");
}

}  // namespace dra_health
