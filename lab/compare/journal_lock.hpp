// Who may write a study's journal: one process at a time, and none where something else has its name.
#pragma once

#include <filesystem>
#include <system_error>

#include "parallax/host/error.hpp"
#include "support/file_lock.hpp"

namespace parallax::engine::compare {

/// Of the file that is there, which is made where it is missing. Throws ConfigError ("--out") where another process has it, and
/// where no file of its own stands there.
host::FileLock lock_journal(const std::filesystem::path&);
/// Nobody is kept out: told once.
void warn_of_no_lock(const std::filesystem::path&, const std::error_code& trouble);
/// What stands there is somebody else's.
ConfigError no_journal(const std::filesystem::path&);

}   // namespace parallax::engine::compare
