# The rooms of the house, those below first (docs/architecture.md): one library each, which links and includes only what stands below it.

# parallax_room(NAME FOLDER [USES room...] [SOURCES pattern...] [HEADERS pattern...])
# The static library parallax_NAME of the sources of FOLDER (*.cpp). USES: the rooms that it may use, each said before it; what those use
# it may use, too. An include of any other room fails the build (cmake/check_includes.cmake). HEADERS: those of host/include and
# engine/include that are this room's.
function(parallax_room name folder)
    cmake_parse_arguments(PARSE_ARGV 2 room "" "" "USES;SOURCES;HEADERS")
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

    list(LENGTH sources many)
    if(PARALLAX_PRECOMPILED AND many GREATER 15 AND core IN_LIST reach)   # below that it costs more than it saves
        target_precompile_headers(parallax_${name} PRIVATE
            <nlohmann/json.hpp> <fmt/format.h> <algorithm> <filesystem> <map> core/session.hpp core/parameters.hpp)
    endif()

    list(JOIN reach "," reach)
    list(JOIN room_HEADERS "," headers)
    set_property(GLOBAL APPEND_STRING PROPERTY PARALLAX_ROOM_TABLE "${name}|${folder}|${reach}|${headers}\n")
    set_property(GLOBAL APPEND PROPERTY PARALLAX_ROOM_FOLDERS ${folder})
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
