# Compiler settings that hold for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(DRA_HEALTH_WERROR)
  add_compile_options(-Werror)
endif()
if(DRA_HEALTH_SANITIZE)
  # vptr: cpprestsdk's headers fail that check by themselves.
  add_compile_options(-fsanitize=${DRA_HEALTH_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DRA_HEALTH_SANITIZE})
endif()

# dra_health_library(NAME PUBLIC lib... PRIVATE lib...): the library of the calling folder, from all
# its *.cpp files. PRIVATE linking is what keeps one module's third-party headers out of the others.
function(dra_health_library name)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(dra_health_${name} STATIC ${sources})
  target_include_directories(dra_health_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(dra_health_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# dra_health_test(NAME lib...): one test program from all *_test.cpp (and helper *.cpp) files of the
# calling folder. A glob, so that no test file can be left out of the build. Without gRPC the tests of
# libraries that need it are left out as a whole.
function(dra_health_test name)
  foreach(library ${ARGN})
    if(library MATCHES "^dra_health_" AND NOT TARGET ${library} AND NOT DRA_HEALTH_GRPC)
      return()
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name}_test ${sources})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name}_test PRIVATE ${ARGN} GTest::gmock_main)
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 LABELS ${name})
endfunction()
