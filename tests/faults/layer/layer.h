// How a test steers the fault layer: C functions, found in the loaded library by name.
#pragma once

extern "C" {

enum { parallax_faults_once, parallax_faults_from_then_on };
enum {
    parallax_faults_contexts,
    parallax_faults_queues,
    parallax_faults_memory,
    parallax_faults_programs,
    parallax_faults_kernels,
    parallax_faults_events,
    parallax_faults_kinds
};

/// Counts calls from 0 again; the nth (from 1) fails with `code`. 0: none does.
void parallax_faults_arm(long nth, int code, int mode);
/// Calls since then.
long parallax_faults_calls(void);
/// The nth call's name, "" while it has not come.
const char* parallax_faults_failed(void);
/// References to objects of a kind that have been made or retained, and not released.
long parallax_faults_live(int kind);
/// A smaller device: it has `local_memory` bytes of local memory, adds `added` to what a kernel declares, allows kernels whose
/// name holds `kernels` work-groups of `group`, those of one shape apart, and launches nothing beyond. 0: as the driver says. The
/// environment may say the same from the beginning: PARALLAX_FAULTS_LIMITS=local_memory,added,group[,kernels].
void parallax_faults_limit(unsigned long local_memory, unsigned long added, unsigned long group, const char* kernels);
/// Launches that were refused for these limits.
long parallax_faults_refused(void);
/// While on, no command ends, and who waits for one waits.
void parallax_faults_stall(int on);
}
