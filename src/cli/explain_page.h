#pragma once

namespace dra_health {

// The style sheet and the script of the page. Neither holds & or <, which would be markup in XML.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace dra_health
