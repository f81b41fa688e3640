// A library before all others (LD_PRELOAD) that fails the n-th allocation, thread or call on a file between the begin and the end
// of main(). What libraries do while they are loaded and unloaded is none of the program's.
//
//   PARALLAX_SHIM=memory:N:BYTES[:on]   allocations of at least BYTES
//   PARALLAX_SHIM=threads:N[::on]       pthread_create
//   PARALLAX_SHIM=files:N[::on]         open, write, fsync, rename and their kin, but on standard output and error
//   PARALLAX_SHIM=looks:N[::on]         stat, read, readdir and their kin: what only looks
//   PARALLAX_SHIM=fat:0                 links and rights are refused, as on FAT that is mounted for another user
//   PARALLAX_SHIM=closings:N[::on]      close and fclose of files that were written through them. Half of the file is lost, and no
//                                       call tells of it again: NFS sends what was written then, and to a server without room
//
// The N-th fails, with `on` all from it on; with N = 0 none. How many there were is written to the file PARALLAX_SHIM_COUNT.
// Other programs that this one starts are left alone: PARALLAX_SHIM_PROGRAM is the name of the one that is meant.
// PARALLAX_SHIM_OWN=1: what drivers and compilers in the process ask for is given to them; only requests count that the program's
// own code makes, and threads of libstdc++'s.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Kind { none, memory, threads, files, looks, closings, fat };

Kind kind = none;
long fail_at = 0, least = 0;
bool from_then_on = false, own = false;
std::uintptr_t program_begin = 0, program_end = 0;
// Inside `new` it is its caller that counts: 0 outside, 1 the request is given, 2 it is not.
thread_local int in_new = 0;
std::atomic<bool> active{false};
std::atomic<long> calls{0};

bool is_own(const void* caller) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    return !own || (at >= program_begin && at < program_end);
}

/// Whether this call shall fail. Nothing here allocates.
bool hit(Kind of, const void* caller) noexcept {
    if (of != kind || !active.load(std::memory_order_relaxed) || !is_own(caller)) return false;
    const long number = ++calls;
    return fail_at > 0 && (from_then_on ? number >= fail_at : number == fail_at);
}
bool hit_memory(size_t bytes, const void* caller) noexcept {
    if (in_new == 1) return false;
    if (in_new == 2)
        in_new = from_then_on ? 2 : 1;   // `new` asks again when its handler has made room
    else if (bytes < static_cast<size_t>(least) || !hit(memory, caller))
        return false;
    errno = ENOMEM;
    return true;
}
bool hit_file(int code, const void* caller) noexcept {
    if (!hit(files, caller)) return false;
    errno = code;
    return true;
}
bool hit_look(const void* caller) noexcept {
    if (!hit(looks, caller)) return false;
    errno = EIO;
    return true;
}
bool refused_by_fat() noexcept {
    if (kind != fat || !active) return false;
    errno = EPERM;
    return true;
}
/// Which descriptors have been written to: where they are closed, what was written may be lost.
std::atomic<bool> written[1024];
ssize_t noted(int file, ssize_t bytes) noexcept {
    if (file >= 0 && file < 1024 && bytes > 0) written[file] = true;
    return bytes;
}
bool hit_closing(int file, const void* caller) noexcept {
    if (file < 0 || file >= 1024 || !written[file].exchange(false)) return false;
    struct stat64 is;
    if (syscall(SYS_fstat, file, &is) != 0 || !S_ISREG(is.st_mode) || !hit(closings, caller)) return false;
    return syscall(SYS_ftruncate, file, is.st_size / 2), true;
}
bool real_flush(FILE* file) noexcept { return fflush_unlocked(file) == 0; }
bool is_terminal(FILE* file) noexcept { return file == stdout || file == stderr; }

template <class F>
F next(F, const char* name) noexcept {
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}
#define CALLER __builtin_return_address(0)
#define NEXT(name) static const auto real = next(&::name, #name)

bool is_meant() noexcept {
    const char* const program = getenv("PARALLAX_SHIM_PROGRAM");
    if (program == nullptr) return true;
    char path[4096] = "";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return false;
    const char* const name = strrchr(path, '/');
    return name != nullptr && strcmp(name + 1, program) == 0;
}

void read_wishes() noexcept {
    const char* wish = getenv("PARALLAX_SHIM");
    if (wish == nullptr || !is_meant()) return;
    own = getenv("PARALLAX_SHIM_OWN") != nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void*) {   // the program comes first
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& part = info->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
                program_begin = info->dlpi_addr + part.p_vaddr;
                program_end = program_begin + part.p_memsz;
            }
            return 1;
        },
        nullptr);
    if (strncmp(wish, "memory:", 7) == 0) kind = memory;
    if (strncmp(wish, "threads:", 8) == 0) kind = threads;
    if (strncmp(wish, "files:", 6) == 0) kind = files;
    if (strncmp(wish, "looks:", 6) == 0) kind = looks;
    if (strncmp(wish, "closings:", 9) == 0) kind = closings;
    if (strncmp(wish, "fat:", 4) == 0) kind = fat;
    char* rest = nullptr;
    fail_at = strtol(strchr(wish, ':') + 1, &rest, 10);
    if (*rest == ':') least = strtol(rest + 1, &rest, 10);
    from_then_on = strcmp(rest, ":on") == 0;
}

void tell_count() noexcept {
    const char* const path = getenv("PARALLAX_SHIM_COUNT");
    if (path == nullptr || kind == none) return;
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", calls.load());
    if (file >= 0) syscall(SYS_write, file, text, length), syscall(SYS_close, file);
}

int (*program_main)(int, char**, char**) = nullptr;
int counted_main(int count, char** words, char** environment) {
    read_wishes();
    active = true;
    const int status = program_main(count, words, environment);
    active = false;
    tell_count();
    return status;
}

}   // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
    program_main = main;
    const auto real = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// Memory: glibc's own names, as dlsym() itself allocates.
void* malloc(size_t bytes) { return hit_memory(bytes, CALLER) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return hit_memory(count * bytes, CALLER) ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return hit_memory(bytes, CALLER) ? nullptr : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return hit_memory(bytes, CALLER) ? nullptr : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) {
    return hit_memory(bytes, CALLER) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** to, size_t alignment, size_t bytes) {
    void* const memory_there = hit_memory(bytes, CALLER) ? nullptr : __libc_memalign(alignment, bytes);
    if (memory_there == nullptr) return ENOMEM;
    *to = memory_there;
    return 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* of) {
    NEXT(pthread_create);
    Dl_info from{};
    const bool standard =
        dladdr(CALLER, &from) != 0 && from.dli_fname != nullptr && strstr(from.dli_fname, "libstdc++") != nullptr;
    const void* const caller = standard ? reinterpret_cast<const void*>(program_begin) : CALLER;   // of std::thread
    return hit(threads, caller) ? EAGAIN : real(thread, attributes, work, of);
}

// Files: too many are open, a disk is full, a disk is broken.
#define MODE_OF(flags)                     \
    mode_t mode = 0;                       \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest;                      \
        va_start(rest, flags);             \
        mode = va_arg(rest, mode_t);       \
        va_end(rest);                      \
    }
int open(const char* path, int flags, ...) {
    MODE_OF(flags)
    return hit_file(EMFILE, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
    MODE_OF(flags)
    return hit_file(EMFILE, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
    MODE_OF(flags)
    return hit_file(EMFILE, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) {
    MODE_OF(flags)
    return hit_file(EMFILE, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
// openat2 has no name of its own.
long syscall(long number, ...) {
    // Without NEXT, whose guard is made of this call.
    static std::atomic<decltype(&::syscall)> known{nullptr};
    auto* real = known.load();
    if (real == nullptr) known = real = reinterpret_cast<decltype(&::syscall)>(dlsym(RTLD_NEXT, "syscall"));
    long of[6];
    va_list rest;
    va_start(rest, number);
    for (long& one : of) one = va_arg(rest, long);
    va_end(rest);
    return number == SYS_openat2 && hit_file(EMFILE, CALLER) ? -1 : real(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}
FILE* fopen(const char* path, const char* mode) {
    NEXT(fopen);
    return hit_file(EMFILE, CALLER) ? nullptr : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
    NEXT(fopen64);
    return hit_file(EMFILE, CALLER) ? nullptr : real(path, mode);
}
FILE* fdopen(int file, const char* mode) {
    NEXT(fdopen);
    return hit_file(EMFILE, CALLER) ? nullptr : real(file, mode);
}
DIR* opendir(const char* path) {
    NEXT(opendir);
    return hit_file(EMFILE, CALLER) ? nullptr : real(path);
}
ssize_t write(int file, const void* from, size_t bytes) {
    NEXT(write);
    return file > 2 && hit_file(ENOSPC, CALLER) ? -1 : noted(file, real(file, from, bytes));
}
ssize_t writev(int file, const struct iovec* parts, int count) {
    NEXT(writev);
    return file > 2 && hit_file(ENOSPC, CALLER) ? -1 : noted(file, real(file, parts, count));
}
ssize_t pwrite(int file, const void* from, size_t bytes, off_t at) {
    NEXT(pwrite);
    return hit_file(ENOSPC, CALLER) ? -1 : noted(file, real(file, from, bytes, at));
}
ssize_t pwrite64(int file, const void* from, size_t bytes, off64_t at) {
    NEXT(pwrite64);
    return hit_file(ENOSPC, CALLER) ? -1 : noted(file, real(file, from, bytes, at));
}
size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
    NEXT(fwrite);
    if (!is_terminal(file) && hit_file(ENOSPC, CALLER)) return 0;
    const size_t done = real(from, size, count, file);
    return noted(fileno(file), static_cast<ssize_t>(done)), done;
}
int fflush(FILE* file) {
    NEXT(fflush);
    return file != nullptr && !is_terminal(file) && hit_file(ENOSPC, CALLER) ? EOF : real(file);
}
int fclose(FILE* file) {
    NEXT(fclose);
    const bool late = kind == closings && active && real_flush(file) && hit_closing(fileno(file), CALLER);
    const bool fails = late || hit_file(ENOSPC, CALLER);
    const int closed = real(file);
    if (fails) errno = ENOSPC;
    return fails ? EOF : closed;
}
int close(int file) {
    NEXT(close);
    const bool fails = hit_closing(file, CALLER);
    const int closed = real(file);
    if (fails) errno = ENOSPC;
    return fails ? -1 : closed;
}
int dup(int file) {
    NEXT(dup);
    const int other = real(file);
    if (other >= 0 && other < 1024 && file >= 0 && file < 1024) written[other] = written[file].load();
    return other;
}
int fsync(int file) {
    NEXT(fsync);
    return hit_file(EIO, CALLER) ? -1 : real(file);
}
int fdatasync(int file) {
    NEXT(fdatasync);
    return hit_file(EIO, CALLER) ? -1 : real(file);
}
int rename(const char* from, const char* to) {
    NEXT(rename);
    return hit_file(EIO, CALLER) ? -1 : real(from, to);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
    NEXT(renameat);
    return hit_file(EIO, CALLER) ? -1 : real(from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    NEXT(renameat2);
    return hit_file(EIO, CALLER) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    NEXT(linkat);
    return refused_by_fat() || hit_file(EIO, CALLER) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) {
    NEXT(link);
    return refused_by_fat() || hit_file(EIO, CALLER) ? -1 : real(from, to);
}
int chmod(const char* path, mode_t mode) {
    NEXT(chmod);
    return refused_by_fat() ? -1 : real(path, mode);
}
int fchmod(int file, mode_t mode) {
    NEXT(fchmod);
    return refused_by_fat() ? -1 : real(file, mode);
}
int fchmodat(int folder, const char* path, mode_t mode, int flags) {
    NEXT(fchmodat);
    return refused_by_fat() ? -1 : real(folder, path, mode, flags);
}
int mkdir(const char* path, mode_t mode) {
    NEXT(mkdir);
    return hit_file(ENOSPC, CALLER) ? -1 : real(path, mode);
}

// Looks: a disk is broken, a network drive is away.
#define LOOK(name, parameters, arguments)        \
    int name parameters {                        \
        NEXT(name);                              \
        return hit_look(CALLER) ? -1 : real arguments; \
    }
LOOK(stat, (const char* path, struct stat* to), (path, to))
LOOK(stat64, (const char* path, struct stat64* to), (path, to))
LOOK(lstat, (const char* path, struct stat* to), (path, to))
LOOK(lstat64, (const char* path, struct stat64* to), (path, to))
LOOK(fstat, (int file, struct stat* to), (file, to))
LOOK(fstat64, (int file, struct stat64* to), (file, to))
LOOK(fstatat, (int folder, const char* path, struct stat* to, int flags), (folder, path, to, flags))
LOOK(fstatat64, (int folder, const char* path, struct stat64* to, int flags), (folder, path, to, flags))
LOOK(statx, (int folder, const char* path, int flags, unsigned mask, struct statx* to), (folder, path, flags, mask, to))
ssize_t read(int file, void* to, size_t bytes) {
    NEXT(read);
    return file > 2 && hit_look(CALLER) ? -1 : real(file, to, bytes);
}
size_t fread(void* to, size_t size, size_t count, FILE* file) {
    NEXT(fread);
    if (file == stdin || !hit_look(CALLER)) return real(to, size, count, file);
    constexpr int has_failed = 0x20;   // what ferror() looks at, which nothing else sets
    file->_flags |= has_failed;
    return 0;
}
struct dirent* readdir(DIR* folder) {
    NEXT(readdir);
    return hit_look(CALLER) ? nullptr : real(folder);
}
struct dirent64* readdir64(DIR* folder) {
    NEXT(readdir64);
    return hit_look(CALLER) ? nullptr : real(folder);
}

}   // extern "C"

// `new` of libstdc++ with its handler, and malloc told what to answer.
namespace {
template <class New, class... Alignment>
void* new_of(New real, const void* caller, size_t bytes, Alignment... alignment) {
    if (!own || in_new != 0) return real(bytes, alignment...);
    in_new = bytes >= static_cast<size_t>(least) && hit(memory, caller) ? 2 : 1;
    try {
        void* const there = real(bytes, alignment...);
        in_new = 0;
        return there;
    } catch (...) {
        in_new = 0;
        throw;
    }
}
}   // namespace
void* operator new(size_t bytes) {
    static const auto real = reinterpret_cast<void* (*)(size_t)>(dlsym(RTLD_NEXT, "_Znwm"));
    return new_of(real, CALLER, bytes);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    static const auto real = reinterpret_cast<void* (*)(size_t, std::align_val_t)>(dlsym(RTLD_NEXT, "_ZnwmSt11align_val_t"));
    return new_of(real, CALLER, bytes, alignment);
}
