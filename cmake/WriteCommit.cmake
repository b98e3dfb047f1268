# Writes OUTPUT from VERSION and COMMIT; an empty COMMIT is asked of git in SOURCE. See BuildInfo.cmake.
if(NOT COMMIT)
  set(ENV{GIT_OPTIONAL_LOCKS} 0)  # a build must not get in the way of a git command beside it
  execute_process(
    COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#pragma once

namespace dra_health::build_info {

inline constexpr const char* kVersion = "@VERSION@";
inline constexpr const char* kCommit = "@COMMIT@";

}  // namespace dra_health::build_info
]] @ONLY)
