// A journal as a process of this machine has left it: its first line says which file it is.
#pragma once

#include "io/io.hpp"
#include "parallax/host/json.hpp"
#include "support/birth_time.hpp"
#include "support/file_identity.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace parallax::tests {

inline std::string journal_line(const Json& json) { return io::hash_text(json.dump()).substr(0, 16) + ' ' + json.dump() + '\n'; }

/// `lines`: what journal_line() has made.
inline void put_journal_text(const std::filesystem::path& journal, const std::string& lines) {
    std::ofstream file(journal, std::ios::binary);
    file.flush();
    const auto identity = host::identity_of(journal);
    const std::string number = std::to_string(identity->inode) + ' ' + std::to_string(host::birth_time(journal));
    file << journal_line({{"number", number}}) << lines;
}

}   // namespace parallax::tests
