#include "open_files.hpp"

#if !defined(_WIN32)
#include <sys/resource.h>

#include <algorithm>
#endif

namespace parallax::cli {

void allow_open_files() {
#if !defined(_WIN32)
    constexpr rlim_t enough = 65536;   // some programs that we start go through all there may be
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= std::min(enough, limit.rlim_max)) return;
    limit.rlim_cur = std::min(enough, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);   // where it is refused, what was allowed is
#endif
}

}   // namespace parallax::cli
