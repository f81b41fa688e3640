#include "own_rights.hpp"

#include "support/warnings.hpp"

#include <fmt/format.h>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

namespace parallax::cli {

void keep_own_rights() {
#if !defined(_WIN32)
    const mode_t given = umask(S_IRWXG | S_IRWXO);   // it is asked for by setting it
    umask(given & ~static_cast<mode_t>(S_IRWXU));
    if ((given & S_IRWXU) != 0)
        host::warn_once(fmt::format("the umask {:04o} takes this user's own rights to new files, which could then not be opened again: "
                                    "the user keeps them, others have what it leaves (umask 077 keeps files to oneself)",
                                    static_cast<unsigned>(given)));
#endif
}

}   // namespace parallax::cli
