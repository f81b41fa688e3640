#include "io/kept.hpp"

#include <algorithm>

namespace parallax::io {
namespace {

constexpr std::size_t most_readers = 16, most_infos = 4, most_hashes = std::size_t{1} << 16;
constexpr std::ptrdiff_t most_programs = 4;

/// Stricter than ==: a time that was set back is that of another file here. Nothing is lost by it but time.
bool is_same(const host::FileIdentity& a, const host::FileIdentity& b) { return a == b && a.changed == b.changed; }

/// A file that is without a number, or may be written to and look the same, is looked at each time.
bool can_be_known(const host::FileIdentity& file) { return file.inode != 0 && !host::may_keep_its_time(file); }

}   // namespace

bool Kept::is_still(const std::filesystem::path& name, const host::FileIdentity& file, const std::filesystem::path& there) {
    std::unique_lock lock(mutex_);
    const host::FileIdentity first = first_.try_emplace(name.native(), file).first->second;
    if (is_same(first, file)) return true;
    const auto known = hashes_.find({first.device, first.inode});
    if (first != file || known == hashes_.end() || !is_same(known->second.first, first)) return false;
    const std::string before = known->second.second;
    lock.unlock();
    if (hash_file(there) != before) return false;
    if (const auto now = host::identity_of(there); !now || !is_same(*now, file)) return false;
    lock.lock();
    first_[name.native()] = file;
    hashes_.insert_or_assign({file.device, file.inode}, std::pair(file, before));
    return true;
}

std::unique_ptr<Kept::Reader> Kept::nearest(const host::FileIdentity& file, std::int64_t page) {
    const std::lock_guard lock(mutex_);
    auto best = readers_.end();
    for (auto one = readers_.begin(); one != readers_.end(); ++one) {
        if (!is_same(one->identity, file) || one->reader->next > page) continue;
        if (best == readers_.end() || one->reader->next > best->reader->next) best = one;
    }
    if (best == readers_.end()) return nullptr;
    std::unique_ptr<Reader> reader = std::move(best->reader);
    readers_.erase(best);
    return reader;
}

void Kept::put(const host::FileIdentity& file, std::unique_ptr<Reader> reader) {
    if (!can_be_known(file)) return;
    const std::lock_guard lock(mutex_);
    const bool is_program = reader->is_program;
    readers_.push_front({file, std::move(reader)});
    // What is left longest is of a file that is done with, or was left behind.
    const auto programs = std::count_if(readers_.begin(), readers_.end(), [](const Open& one) { return one.reader->is_program; });
    if (is_program && programs > most_programs)
        readers_.erase(std::prev(std::find_if(readers_.rbegin(), readers_.rend(), [](const Open& one) { return one.reader->is_program; }).base()));
    if (readers_.size() > most_readers) readers_.pop_back();
}

std::optional<FileInfo> Kept::info(const host::FileIdentity& file) const {
    const std::lock_guard lock(mutex_);
    const auto there = std::find_if(infos_.begin(), infos_.end(), [&](const FileInfo& info) { return is_same(*info.identity, file); });
    if (there == infos_.end()) return std::nullopt;
    return *there;
}

void Kept::put(const FileInfo& info) {
    if (!info.identity || !can_be_known(*info.identity)) return;
    const std::lock_guard lock(mutex_);
    infos_.insert(infos_.begin(), info);
    if (infos_.size() > most_infos) infos_.pop_back();
}

std::optional<std::string> Kept::hash(const host::FileIdentity& file) const {
    if (!can_be_known(file)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto there = hashes_.find({file.device, file.inode});
    if (there == hashes_.end() || !is_same(there->second.first, file)) return std::nullopt;
    return there->second.second;
}

void Kept::put(const host::FileIdentity& file, std::string hash) {
    const std::lock_guard lock(mutex_);   // also of one that is looked at each time: is_still() compares
    if (hashes_.size() >= most_hashes) hashes_.clear();
    hashes_.insert_or_assign({file.device, file.inode}, std::pair(file, std::move(hash)));
}

}   // namespace parallax::io
