# Run as a script with every build: writes OUTPUT, which says what was built from what. It changes only when that does.
# Of ROOT's own repository alone: sources may be unpacked in another, or built from a hook of one.
set(revision unknown)
execute_process(COMMAND git --git-dir=${ROOT}/.git --work-tree=${ROOT} describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE found
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed)
    set(revision ${found})
endif()
file(WRITE ${OUTPUT}.new "#define PARALLAX_REVISION \"${revision}\"\n#define PARALLAX_COMPILER \"${COMPILER}\"\n#define PARALLAX_BUILD_TYPE \"${BUILD_TYPE}\"\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
