# Modules: small libraries of C functions around another's library, opened at run time (host/support/module.hpp).

# parallax_install_module(NAME): where the library and the program look for it
function(parallax_install_module name)
    if(PARALLAX_INSTALL)
        install(TARGETS parallax_peer_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/parallax OPTIONAL)
    endif()
endfunction()
