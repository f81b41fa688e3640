# Whether libxxhash takes the widest vectors of the processor it runs on (a build with DISPATCH=1, as Debian's): else it hashes with
# those that every processor of the architecture has.
include(CheckCXXSourceCompiles)
include(CMakePushCheckState)

cmake_push_check_state()
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::xxhash)
check_cxx_source_compiles("
#include <xxhash.h>
#include <xxh_x86dispatch.h>
int main() { return static_cast<int>(XXH3_128bits_update_dispatch(XXH3_createState(), nullptr, 0)); }
" PARALLAX_XXHASH_DISPATCHES)
cmake_pop_check_state()
