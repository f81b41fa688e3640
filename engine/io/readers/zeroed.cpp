// Memory that a reader's libraries ask for by malloc or new is zeros. They decode damaged files into memory that they have not
// cleared, and what a file lacks would come out as whatever the process had there before: parts of other files.
#include <cstdlib>

#include "support/sanitizers.hpp"

// glibc takes a program's own malloc for that of all its libraries. (Its M_PERTURB fills all memory, that from the system too,
// which is zeros already, and leaves out small pieces that are used again; calloc does neither.)
#if defined(__GLIBC__) && !PARALLAX_ADDRESS_SANITIZER && !PARALLAX_THREAD_SANITIZER
extern "C" void* malloc(std::size_t bytes) noexcept { return std::calloc(1, bytes); }
#endif
