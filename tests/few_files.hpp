// A process that may open few files.
#pragma once

#if !defined(_WIN32)

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace parallax::tests {

/// As many more files than now may be opened while this is there.
class FewFiles {
public:
    explicit FewFiles(int more) {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const int next = ::dup(0);
        ::close(next);
        ::rlimit few = before_;
        few.rlim_cur = static_cast<::rlim_t>(next + more);
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    }
    ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    FewFiles(const FewFiles&) = delete;
    FewFiles& operator=(const FewFiles&) = delete;

private:
    ::rlimit before_{};
};

}   // namespace parallax::tests

#endif
