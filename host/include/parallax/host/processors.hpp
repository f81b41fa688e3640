// How many threads are worth starting.
#pragma once

namespace parallax::host {

/// Threads that can run at once if the calling one starts them, at least 1: the processors it is bound to (taskset, a container's cpuset), or what
/// a container's quota of processor time comes to (cgroup v2), whichever is less. Where neither is known, all of the machine's.
///
///     taskset -c 0-3 parallax devices     # the native device has 4 units, on however large a machine
int processors();

}  // namespace parallax::host
