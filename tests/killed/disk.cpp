#include "killed/disk.hpp"

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

namespace parallax::tests {

namespace {

bool run(const std::string& command) {
    return std::system(("PATH=$PATH:/sbin:/usr/sbin; (" + command + ") 2> /dev/null").c_str()) == 0;
}

}   // namespace

Disk::Disk() {
    std::filesystem::create_directory(folder());
    const bool made = ::geteuid() == 0 && run("truncate -s 96M '" + image() + "' && mkfs.ext4 -q '" + image() + "'");
    if (!made || !mount()) why_not_ = "no ext4 file system can be made and mounted here";
}

Disk::~Disk() {
    if (why_not_.empty()) unmount();
}

std::string Disk::image() const { return (top_ / "image").string() + std::to_string(starts_); }

bool Disk::mount() const { return run("mount -o loop '" + image() + "' '" + folder().string() + "'"); }

void Disk::unmount() const { ::umount2(folder().c_str(), MNT_DETACH); }

void Disk::sync() const {
    const int open = ::open(folder().c_str(), O_RDONLY | O_DIRECTORY);
    ::syncfs(open);
    ::close(open);
}

void Disk::cut() const {
    const unsigned long shutdown = _IOR('X', 125, std::uint32_t);   // EXT4_IOC_SHUTDOWN
    std::uint32_t without_log = 2;
    const int open = ::open(folder().c_str(), O_RDONLY | O_DIRECTORY);
    ::ioctl(open, shutdown, &without_log);
    ::close(open);
}

void Disk::mount_again() {
    unmount();
    // A copy: where somebody else holds the old one (a new namespace of mounts), the system would give that again, as dead as it is.
    const std::string old = image();
    ++starts_;
    if (!run("cp --sparse=always '" + old + "' '" + image() + "'") || !mount())
        throw std::runtime_error("the disk cannot be mounted again");
    std::filesystem::remove(old);
}

}   // namespace parallax::tests
#else
namespace parallax::tests {

Disk::Disk() : why_not_("not on this system") {}
Disk::~Disk() = default;
void Disk::sync() const {}
void Disk::cut() const {}
void Disk::mount_again() {}

}   // namespace parallax::tests
#endif
