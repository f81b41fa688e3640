# The library that other programs link, once shared and once static, from the objects of the rooms that the interface stands on. What is not
# marked PARALLAX_API stays inside; of the libraries that those need no header is visible from outside.
set(objects "")
foreach(room support host core io algorithms pipeline exec job series distributed modes registry api)
    list(APPEND objects $<TARGET_OBJECTS:parallax_${room}>)
endforeach()
foreach(apart cuda cufft)
    if(TARGET parallax_${apart})
        list(APPEND objects $<TARGET_OBJECTS:parallax_${apart}>)
    endif()
endforeach()
set(needs fmt::fmt TIFF::TIFF PNG::PNG JPEG::JPEG ZLIB::ZLIB PkgConfig::libdeflate PkgConfig::xxhash Threads::Threads ${CMAKE_DL_LIBS})

function(parallax_public_headers target)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/host/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${target} INTERFACE cxx_std_20)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME parallax LINKER_LANGUAGE CXX)
endfunction()

set(libraries "")
if(PARALLAX_SHARED)
    add_library(parallax_shared SHARED ${objects})
    add_library(parallax::shared ALIAS parallax_shared)
    add_library(parallax::parallax ALIAS parallax_shared)
    target_link_libraries(parallax_shared PRIVATE ${needs})
    parallax_public_headers(parallax_shared)
    # Until 1.0 a minor version may break programs, so that its number is in the SONAME.
    set_target_properties(parallax_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} EXPORT_NAME shared
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/import)
    if(UNIX AND NOT APPLE)
        # The standard library's templates, too, stay inside.
        set(script ${PROJECT_SOURCE_DIR}/cmake/exports.map)
        target_link_options(parallax_shared PRIVATE -Wl,--version-script=${script} -Wl,--no-undefined)
        set_target_properties(parallax_shared PROPERTIES LINK_DEPENDS ${script})
    endif()
    list(APPEND libraries shared)
endif()
if(PARALLAX_STATIC)
    add_library(parallax_static STATIC ${objects})
    add_library(parallax::static ALIAS parallax_static)
    if(NOT PARALLAX_SHARED)
        add_library(parallax::parallax ALIAS parallax_static)
    endif()
    target_link_libraries(parallax_static PRIVATE ${needs})
    target_compile_definitions(parallax_static INTERFACE PARALLAX_STATIC)
    parallax_public_headers(parallax_static)
    set_target_properties(parallax_static PROPERTIES EXPORT_NAME static ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    if(MSVC)   # there, the shared library's import library has the name
        set_target_properties(parallax_static PROPERTIES OUTPUT_NAME parallax_static)
    endif()
    list(APPEND libraries static)
endif()

if(NOT PARALLAX_INSTALL)
    return()
endif()

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/parallax)
foreach(library IN LISTS libraries)
    install(TARGETS parallax_${library} EXPORT parallax-${library}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(EXPORT parallax-${library} NAMESPACE parallax:: DESTINATION ${package})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/include/parallax DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/host/include/parallax/export.hpp ${PROJECT_SOURCE_DIR}/host/include/parallax/handles.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/parallax)
install(FILES ${PROJECT_SOURCE_DIR}/host/include/parallax/host/device_info.hpp ${PROJECT_SOURCE_DIR}/host/include/parallax/host/error.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/parallax/host)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/configs/schema/job.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/parallax)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/parallax-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/parallax-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/parallax-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/parallax-config.cmake ${PROJECT_BINARY_DIR}/cmake/parallax-config-version.cmake DESTINATION ${package})

# Relative to the file itself, so that the prefix may be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/parallax.pc.in ${PROJECT_BINARY_DIR}/cmake/parallax.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/parallax.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
