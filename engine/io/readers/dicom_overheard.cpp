#include "io/readers/dicom_overheard.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace parallax::io::readers::dicom {

namespace {

/// A file without a name; -1 and errno where there can be none.
int unnamed_file() {
#if defined(__linux__)
    return memfd_create("overheard", MFD_CLOEXEC);
#else
    std::FILE* const file = std::tmpfile();
    const int descriptor = file ? dup(fileno(file)) : -1;
    if (file) std::fclose(file);
    return descriptor;
#endif
}

}   // namespace

Overheard::Overheard() {
    std::fflush(stderr);
    kept_ = unnamed_file();
    before_ = dup(2);
    if (kept_ >= 0 && before_ >= 0 && dup2(kept_, 2) == 2) return;
    const int code = errno;
    for (const int file : {kept_, before_})
        if (file >= 0) close(file);
    throw std::system_error(code, std::generic_category(), "what its library says cannot be heard");
}

std::string Overheard::text() const {
    std::fflush(stderr);
    std::string said;
    char piece[4096];
    constexpr std::size_t most = 1 << 20;
    while (said.size() < most) {
        const ssize_t got = pread(kept_, piece, sizeof piece, static_cast<off_t>(said.size()));
        if (got <= 0) break;
        said.append(piece, static_cast<std::size_t>(got));
    }
    return said;
}

Overheard::~Overheard() {
    const std::string said = text();
    dup2(before_, 2);
    std::fwrite(said.data(), 1, said.size(), stderr);
    std::fflush(stderr);
    close(kept_);
    close(before_);
}

}   // namespace parallax::io::readers::dicom
