// Rights to the files that the program makes.
#pragma once

namespace parallax::cli {

/// A umask such as 0777 takes the user's own rights too: folders in which nothing can be made, records and outputs that cannot be
/// opened again. Those of others stay as the umask has it, the user keeps his own, as in the folders that `mkdir -p` makes on its
/// way, and is told. Processes that are started have it so from the beginning. Before any thread is.
void keep_own_rights();

}   // namespace parallax::cli
