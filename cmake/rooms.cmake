# The rooms of the house, those below first (docs/architecture.md): one library each, which links and includes only what stands below it.

# parallax_room(NAME FOLDER [LIGHT] [USES room...] [SOURCES pattern...] [HEADERS pattern...])
# The static library parallax_NAME of the sources of FOLDER (*.cpp). USES: the rooms that it may use, each said before it; what those use
# it may use, too. An include of any other room fails the build (cmake/check_includes.cmake). HEADERS: those of host/include and
# engine/include that are this room's. LIGHT: what it does is done once a job, so that its compilation takes longer than -O3 can ever gain.
function(parallax_room name folder)
    cmake_parse_arguments(PARSE_ARGV 2 room "LIGHT" "" "USES;SOURCES;HEADERS")
    get_property(rooms GLOBAL PROPERTY PARALLAX_ROOMS)
    set(reach ${name})
    foreach(used IN LISTS room_USES)
        if(NOT used IN_LIST rooms)
            message(FATAL_ERROR "The room ${name} uses ${used}, which does not stand below it.")
        endif()
        get_property(below GLOBAL PROPERTY PARALLAX_ROOM_${used})
        list(APPEND reach ${below})
    endforeach()
    list(REMOVE_DUPLICATES reach)
    set_property(GLOBAL APPEND PROPERTY PARALLAX_ROOMS ${name})
    set_property(GLOBAL PROPERTY PARALLAX_ROOM_${name} ${reach})

    if(NOT room_SOURCES)
        set(room_SOURCES *.cpp)
    endif()
    list(TRANSFORM room_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
    file(GLOB sources CONFIGURE_DEPENDS ${room_SOURCES})
    add_library(parallax_${name} STATIC ${sources})
    string(REGEX MATCH "^[^/]+" house ${folder})
    target_include_directories(parallax_${name} PUBLIC ${PROJECT_SOURCE_DIR}/${house})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${house}/include)
        target_include_directories(parallax_${name} PUBLIC ${PROJECT_SOURCE_DIR}/${house}/include)
    endif()
    target_compile_definitions(parallax_${name} PRIVATE ${PARALLAX_BUILDING})
    target_link_libraries(parallax_${name} PRIVATE fmt::fmt)
    foreach(used IN LISTS room_USES)
        target_link_libraries(parallax_${name} PUBLIC parallax_${used})
    endforeach()

    set(kind "")
    if(room_LIGHT)
        set(kind _light)
        parallax_light(parallax_${name})
    endif()
    if(PARALLAX_UNITY)
        parallax_unity(parallax_${name} ${sources})
    endif()
    if(PARALLAX_PRECOMPILED)
        target_precompile_headers(parallax_${name} REUSE_FROM parallax_precompiled${kind})
    endif()

    list(JOIN reach "," reach)
    list(JOIN room_HEADERS "," headers)
    set_property(GLOBAL APPEND_STRING PROPERTY PARALLAX_ROOM_TABLE "${name}|${folder}|${reach}|${headers}\n")
    set_property(GLOBAL APPEND PROPERTY PARALLAX_ROOM_FOLDERS ${folder})
endfunction()

# parallax_light(TARGET)
function(parallax_light target)
    if(NOT MSVC)
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
endfunction()

# What every room includes, precompiled once for all of them, and once for light ones.
if(PARALLAX_PRECOMPILED)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
    foreach(kind "" _light)
        add_library(parallax_precompiled${kind} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
        target_link_libraries(parallax_precompiled${kind} PRIVATE nlohmann_json::nlohmann_json fmt::fmt)
        target_precompile_headers(parallax_precompiled${kind} PRIVATE <nlohmann/json.hpp> <fmt/format.h> <fmt/ranges.h> <algorithm> <chrono>
            <cmath> <filesystem> <fstream> <functional> <future> <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <thread>
            <utility> <vector>)
    endforeach()
    parallax_light(parallax_precompiled_light)
endif()

# parallax_unity(TARGET SOURCE...): the sources of a folder are compiled together, at most a dozen at a time. Names that are a file's own
# (in a namespace without a name) must differ within a folder.
function(parallax_unity target)
    foreach(source IN LISTS ARGN)
        cmake_path(GET source PARENT_PATH folder)
        # The name of what is compiled is made of this: as in every other clone, so that they share a compilers' cache.
        cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
        string(MD5 folder ${folder})
        math(EXPR count_${folder} "${count_${folder}}+1")
        math(EXPR batch "${count_${folder}}/12")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Once all rooms are said: the target that checks what they include, on which each of them waits.
function(parallax_check_includes)
    get_property(table GLOBAL PROPERTY PARALLAX_ROOM_TABLE)
    get_property(rooms GLOBAL PROPERTY PARALLAX_ROOMS)
    get_property(folders GLOBAL PROPERTY PARALLAX_ROOM_FOLDERS)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/rooms.txt CONTENT "${table}")
    set(patterns "")
    foreach(folder IN LISTS folders)
        foreach(ending hpp cpp h)
            list(APPEND patterns ${PROJECT_SOURCE_DIR}/${folder}/*.${ending})
        endforeach()
    endforeach()
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${patterns})
    add_custom_command(
        OUTPUT ${PROJECT_BINARY_DIR}/includes.checked
        COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DTABLE=${PROJECT_BINARY_DIR}/rooms.txt -P ${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake
        COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/includes.checked
        DEPENDS ${files} ${PROJECT_BINARY_DIR}/rooms.txt ${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake
        COMMENT "Checking that no room includes one above it"
        VERBATIM)
    add_custom_target(parallax_includes DEPENDS ${PROJECT_BINARY_DIR}/includes.checked)
    foreach(room IN LISTS rooms)
        add_dependencies(parallax_${room} parallax_includes)
    endforeach()
endfunction()
