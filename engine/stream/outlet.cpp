#include "stream/outlet.hpp"

#include "core/clock.hpp"
#include "io/hints.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#if defined(_WIN32)
#include <io.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#endif

namespace parallax::engine::stream {
namespace {

constexpr std::size_t all_at_once = std::size_t{1} << 30;

#if !defined(_WIN32)
/// Sockets of messages take one of a few kilobytes, and not half of it.
bool is_stream_of_bytes(int descriptor) {
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}
#endif

#if defined(__linux__)
/// Another end of a pipe, which takes what there is room for and never waits. The flag that does so is the end's own: set at the
/// descriptor that we were given, it would be everybody's who has that end. Negative where there is none to be had: no /proc,
/// another user's pipe, one that keeps writes apart (O_DIRECT), nobody who reads.
int opened_again(int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_DIRECT) != 0) return -1;
    return ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}
#endif

}   // namespace

#if defined(_WIN32)

Outlet::Outlet(int descriptor, std::function<bool()> cancelled)
    : descriptor_(descriptor), most_(all_at_once), cancelled_(std::move(cancelled)) {}
Outlet::~Outlet() = default;
std::ptrdiff_t Outlet::write_some(std::string_view bytes) {
    return ::_write(descriptor_, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), most_)));
}

#else

Outlet::Outlet(int descriptor, std::function<bool()> cancelled)
    : descriptor_(descriptor), most_(all_at_once), cancelled_(std::move(cancelled)) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    only_read_ = flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;   // poll() would wait for it for ever
    struct stat state {};
    if (only_read_ || ::fstat(descriptor, &state) != 0) return;
    socket_ = S_ISSOCK(state.st_mode) && is_stream_of_bytes(descriptor);
    if (socket_ || (!S_ISFIFO(state.st_mode) && !S_ISSOCK(state.st_mode))) return;
#if defined(__linux__)
    if (S_ISFIFO(state.st_mode)) own_ = opened_again(descriptor);
#endif
    if (own_ < 0) most_ = PIPE_BUF;   // what a pipe takes without waiting once it says that it takes something
}

Outlet::~Outlet() {
    if (own_ >= 0) ::close(own_);
}

std::ptrdiff_t Outlet::write_some(std::string_view bytes) {
    const std::size_t some = std::min(bytes.size(), most_);
    if (socket_) return ::send(descriptor_, bytes.data(), some, MSG_DONTWAIT);
    return ::write(own_ >= 0 ? own_ : descriptor_, bytes.data(), some);
}

#endif

/// Of a file; what came to its end since is somebody else's.
void Outlet::take_back(std::size_t written) const noexcept {
#if !defined(_WIN32)
    struct stat state {};
    if (written == 0 || ::fstat(descriptor_, &state) != 0 || !S_ISREG(state.st_mode)) return;
    const off_t end = ::lseek(descriptor_, 0, SEEK_CUR);
    if (end != state.st_size || end < static_cast<off_t>(written)) return;
    (void)!::ftruncate(descriptor_, end - static_cast<off_t>(written));
#else
    static_cast<void>(written);
#endif
}

bool are_one_file(int a, int b) noexcept {
#if !defined(_WIN32)
    struct stat one {}, other {};
    return ::fstat(a, &one) == 0 && ::fstat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
#else
    return static_cast<void>(a), static_cast<void>(b), false;
#endif
}

bool Outlet::put(std::string_view bytes) {
    const std::size_t all = bytes.size();
    const auto closed = [] {   // a file that the process itself has opened may have the number that was free
        return IoError("standard output", "is closed, or open for reading alone", "send it to a file or a program");
    };
    if (only_read_ && !bytes.empty()) throw closed();
    auto moved = std::chrono::steady_clock::now();
    while (!bytes.empty()) {
#if !defined(_WIN32)
        for (pollfd what{own_ >= 0 ? own_ : descriptor_, POLLOUT, 0}; ::poll(&what, 1, 100) <= 0;) {
            if (cancelled_ && cancelled_() && seconds_since(moved) > 2)   // a frame is written to its end while somebody takes it
                throw CancelledError("stopped on request while nobody read the frames");
        }
#endif
        const std::ptrdiff_t written = write_some(bytes);
        if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (written < 0 && (errno == EPIPE || errno == ECONNRESET))
            return false;   // the latter of sockets with bytes on their way
        if (written < 0 && errno == EBADF) throw closed();
        if (const int code = written < 0 ? errno : EIO; written <= 0) {
            take_back(all - bytes.size());
            throw IoError("standard output", fmt::format("cannot be written: {}", std::strerror(code)), io::write_hint_for(code));
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
        moved = std::chrono::steady_clock::now();
    }
    return true;
}

}   // namespace parallax::engine::stream
