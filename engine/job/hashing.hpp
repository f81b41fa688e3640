// Reports of input files, whose hashes are made beside the work: files of gigabytes take seconds.
#pragma once

#include "job/prepare.hpp"
#include "job/report.hpp"

#include <functional>
#include <future>
#include <stop_token>
#include <thread>
#include <vector>

namespace parallax::engine {

/// A file of an input and its parts; `opened`: as it is read. It counts as what it was when it was looked at, so that check_unchanged()
/// belongs behind. Throws IoError.
std::vector<FileReport> report_input_file(const PreparedInput&, std::size_t file, const host::OpenedFile& opened,
                                          const std::stop_token& = {});
/// Whether a file that is about to be read, or a part of it, could not change from now on and keep the time that it has.
bool is_certain(const io::FileInfo&);

class Hashing {
public:
    /// Begins with the files of an input; is done with small ones when it returns. Throws IoError.
    Hashing(const InputSpec&, const PreparedInput&);
    /// Is done: they have been hashed while they were read.
    Hashing(const InputSpec&, const PreparedInput&, std::vector<FileReport>);
    /// Waits for the rest, and asks `proceed` meanwhile, which may throw to end the wait. Once. Throws IoError.
    InputReport finish(const std::function<void()>& proceed = {});

private:
    std::future<InputReport> report_;
    std::jthread thread_;   ///< asked to stop, and waited for, when nobody wants the report any more
};

}  // namespace parallax::engine
