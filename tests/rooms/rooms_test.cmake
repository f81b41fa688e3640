# cmake/check_includes.cmake on this source tree, then on copies of it in each of which one room includes what it must not.
cmake_minimum_required(VERSION 3.22)
set(check ${CMAKE_CURRENT_LIST_DIR}/../../cmake/check_includes.cmake)
set(houses host engine lab)

# checks(RESULT SAID FOLDER)
function(checks result said folder)
    execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${folder} -DTABLE=${TABLE} -P ${check} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    set(${result} ${status} PARENT_SCOPE)
    string(REGEX REPLACE "[ \n]+" " " out "${out}")   # messages are broken into lines
    set(${said} "${out}" PARENT_SCOPE)
endfunction()

checks(status said ${ROOT})
if(NOT status EQUAL 0)
    message(FATAL_ERROR "the source tree: ${said}")
endif()

# Where, what it includes, and the room of that: upward by one room, by many, to the side, by a public header, in a folder of a room's folder.
set(rows
    "host/support/text.cpp" "opencl/device.hpp" host
    "host/opencl/device.cpp" "core/session.hpp" core
    "engine/core/plan.cpp" "algorithms/fft/libraries.hpp" algorithms
    "engine/core/plan.hpp" "parallax/session.hpp" api
    "engine/algorithms/fft/libraries.hpp" "peers/peers.hpp" peers
    "engine/algorithms/fft/cuda/cufft.cpp" "job/job.hpp" job
    "engine/io/io.hpp" "job/paths.hpp" job
    "engine/job/load.cpp" "registry/registry.hpp" registry
    "engine/api/session.cpp" "peers/peers.hpp" peers
    "lab/timing/bench.hpp" "report/report.hpp" report
    "lab/workers/worker_protocol.cpp" "timing/statistics.hpp" timing)
while(rows)
    list(POP_FRONT rows source header room)
    file(REMOVE_RECURSE ${WORK})
    foreach(house IN LISTS houses)
        file(COPY ${ROOT}/${house} DESTINATION ${WORK})
    endforeach()
    if(NOT EXISTS ${WORK}/${source})
        message(FATAL_ERROR "${source} is not there: this test needs another file of its room")
    endif()
    file(APPEND ${WORK}/${source} "\n#  include \"${header}\"\n")
    checks(status said ${WORK})
    if(status EQUAL 0)
        message(FATAL_ERROR "${source} may include ${header}")
    endif()
    if(NOT said MATCHES "${source} includes ${header} of the room ${room},")
        message(FATAL_ERROR "${source} with ${header}: ${said}")
    endif()
endwhile()
file(REMOVE_RECURSE ${WORK})
