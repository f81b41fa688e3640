#include "circumstances.hpp"

#include "program/key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#if !defined(_WIN32)
#include <sys/resource.h>
extern char** environ;
#endif

namespace parallax::host {

std::string circumstances() {
    std::vector<std::string> list;
#if !defined(_WIN32)
    for (const auto which : {RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_CPU, RLIMIT_MEMLOCK,
                             RLIMIT_NPROC}) {
        rlimit limit{};
        if (getrlimit(which, &limit) == 0)
            list.push_back(fmt::format("{}={}", static_cast<int>(which), static_cast<std::uintmax_t>(limit.rlim_cur)));
    }
    constexpr std::array<std::string_view, 8> beginnings{
        "PATH=", "HOME=", "TMPDIR=", "XDG_CACHE_HOME=", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "POCL_", "OCL_"};
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        if (const std::string_view text = *entry;
            std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view with) { return text.starts_with(with); }))
            list.emplace_back(text);
#endif
    std::sort(list.begin(), list.end());
    return hash_parts(std::vector<std::string_view>(list.begin(), list.end()));
}

}  // namespace parallax::host
