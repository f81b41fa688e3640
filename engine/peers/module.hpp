// Modules: small shared libraries beside the program or below the library, each a few C functions around another's library, so that neither the
// engine nor what is built on it depends on that library.
#pragma once

#include "core/algorithm.hpp"
#include "platform.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::peers {

/// A module by the name of its library: "cub" is libparallax_peer_cub.so.
class Module {
public:
    /// Looks beside the program or library that Parallax is in, in the folders where a build and an installation keep modules, then where
    /// the system looks. `abi` is what the module's plx_<name>_abi() must say.
    /// Throws UnsupportedError with the system's own words on the first one that was found, else with the folders that have none;
    /// `built_where` says when there is such a module.
    Module(const std::string& name, int abi, const std::string& built_where);

    /// Throws UnsupportedError where the module has no such function.
    template <class Function> void find(Function*& function, const char* symbol) const { function = reinterpret_cast<Function*>(address(symbol)); }

private:
    void* address(const char* symbol) const;

    std::string file_;
    host::platform::SharedLibrary library_;
};

/// Why not, or an empty string.
using WhyNot = std::function<std::string(const Problem&)>;

/// A row of a library: runs where it is asked for by name. `open` throws UnsupportedError where the library is not there.
Variant peer_variant(std::string name, std::string summary, host::Backend, WhyNot why_not, std::function<void()> open, decltype(Variant::plan) plan);

/// Empty, or that `library` has nothing for this type.
std::string only(const std::string& library, const ArrayDesc&, const std::vector<ElementType>& types);

}  // namespace parallax::engine::peers
