// Modules: small shared libraries beside the program or below the library, each a few C functions around another's library, so
// that neither the engine nor what is built on it depends on that library.
#pragma once

#include "support/platform.hpp"

#include <string>

namespace parallax::host {

/// A module by the name of its library: "cub" is libparallax_peer_cub.so.
class Module {
public:
    /// Looks beside the program or library that Parallax is in, in the folders where a build and an installation keep modules,
    /// then where the system looks. `abi` is what the module's plx_<name>_abi() must say. Throws UnsupportedError with the
    /// system's own words on the first one that was found, else with the folders that have none; `built_where` says when there is
    /// such a module.
    Module(const std::string& name, int abi, const std::string& built_where);

    /// Throws UnsupportedError where the module has no such function.
    template <class Function>
    void find(Function*& function, const char* symbol) const {
        function = reinterpret_cast<Function*>(address(symbol));
    }

private:
    void* address(const char* symbol) const;

    std::string file_;
    platform::SharedLibrary library_;
};

}  // namespace parallax::host
