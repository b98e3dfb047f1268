# dra_health_build_info: the header build_info/commit.h with the version and the commit. Made anew by
# every build, because a commit changes without CMake's notice, but written only when it differs, so
# that nothing is compiled again for it.
include_guard(GLOBAL)
set(DRA_HEALTH_COMMIT "" CACHE STRING "The commit, for builds from an archive without .git")

set(header ${PROJECT_BINARY_DIR}/generated/build_info/commit.h)
add_custom_target(dra_health_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${header}
          -DVERSION=${PROJECT_VERSION} -DCOMMIT=${DRA_HEALTH_COMMIT}
          -P ${CMAKE_CURRENT_LIST_DIR}/WriteCommit.cmake
  BYPRODUCTS ${header}
  COMMENT "Asking for the commit"
  VERBATIM)
add_library(dra_health_build_info INTERFACE)
target_include_directories(dra_health_build_info INTERFACE ${PROJECT_BINARY_DIR}/generated)
add_dependencies(dra_health_build_info dra_health_commit)
