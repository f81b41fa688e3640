// What an interrupted study has done: one JSON object a line, with a hash of itself, appended and flushed. A line that was torn or
// damaged does not count, nor what is behind it. It is locked as long as its study is at work, so that no other goes on with it
// meanwhile.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "parallax/host/json.hpp"
#include "support/file_lock.hpp"

namespace parallax::engine::compare {

class Journal {
public:
    /// Locks it, and reads what is there. Throws ConfigError ("--out") where another process is at work on it, and where
    /// something stands there that no study has begun: that is left as it is.
    explicit Journal(std::filesystem::path);
    /// One that was not begun stands in nobody's way.
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Whether there is a study to go on with.
    bool is_begun() const noexcept { return begun_; }
    /// What a study said that is to be gone on with: null where it did not.
    Json said(const std::string& key) const;
    /// All that it said but for its header.
    const std::vector<Json>& earlier() const noexcept { return earlier_; }

    /// A new one in its place. Throws IoError where it cannot be written.
    void begin(const Json& header);
    /// The same one. Throws ConfigError ("--resume") where it has another header.
    void go_on(const Json& header);
    /// On disk when it returns, as far as the system tells.
    void append(const Json& entry);
    /// What it has is not to be gone on with.
    void forget() noexcept { begun_ = false; }
    /// The study is complete: nothing is left to resume.
    void remove() noexcept;

private:
    void read();
    /// For what is written behind its first `bytes`: what else there is is cut off.
    void open(std::uintmax_t bytes);
    void write(const std::string& line);

    std::filesystem::path path_;
    host::FileLock lock_;
    Json header_;
    std::vector<Json> earlier_;
    std::uintmax_t whole_ = 0;   ///< bytes of complete lines
    bool begun_ = false, removed_ = false, is_damaged_ = false;
    std::optional<io::File> file_;
};

}   // namespace parallax::engine::compare
