#include "io/kept.hpp"

#include <algorithm>
#include <utility>

namespace parallax::io {
namespace {

constexpr std::size_t most_readers = 16, most_infos = 4, most_hashes = std::size_t{1} << 16;

constexpr int most_programs = 4;

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
    if (there.empty() || first != file || known == hashes_.end() || !is_same(known->second.file, first)) return false;
    const Hash before = known->second;
    lock.unlock();
    if (hash_file(there, {}, before.of) != before.hash || host::identity_of(there) != file) return false;
    lock.lock();
    first_[name.native()] = file;
    hashes_.insert_or_assign({file.device, file.inode}, Hash{file, before.hash, before.of});
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
    readers_.push_front({file, std::move(reader)});
    // What is left longest is of a file that is done with, or was left behind.
    int programs = 0;
    std::erase_if(readers_, [&](const Open& one) { return one.reader->is_program && ++programs > most_programs; });
    if (readers_.size() > most_readers) readers_.pop_back();
}

Kept::Turn::Turn(Kept* kept, std::int64_t page, bool in_order) : kept_(kept) {
    if (!kept_) return;
    std::unique_lock lock(kept_->mutex_);
    const auto own = kept_->waiting_.insert(page);
    kept_->turn_.wait(lock, [&] { return own == kept_->waiting_.begin() && kept_->at_work_ < (in_order ? 1 : most_programs); });
    kept_->waiting_.erase(own);
    ++kept_->at_work_;
    kept_->turn_.notify_all();   // the next may have a place, too
}

Kept::Turn::~Turn() {
    if (!kept_) return;
    const std::lock_guard lock(kept_->mutex_);
    --kept_->at_work_;
    kept_->turn_.notify_all();
}

std::optional<FileInfo> Kept::info(const host::FileIdentity& file, const std::optional<std::pair<std::int64_t, std::int64_t>>& pages) const {
    std::shared_ptr<const Info> known;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& info : infos_)
            if (is_same(*info->file.identity, file)) known = info;
    }
    if (!known) return std::nullopt;
    FileInfo info = known->file;
    info.parts = parts_of_pages(known->parts, pages);
    info.folders = parts_of_pages(known->folders, pages);
    return info;
}

void Kept::put(FileInfo info) {
    if (!info.identity || !can_be_known(*info.identity)) return;
    std::vector<FilePart> parts = std::exchange(info.parts, {}), folders = std::exchange(info.folders, {});
    auto known = std::make_shared<const Info>(Info{std::move(info), std::move(parts), std::move(folders)});
    const std::lock_guard lock(mutex_);
    std::erase_if(infos_, [&](const auto& one) { return one->file.identity == known->file.identity; });
    infos_.insert(infos_.begin(), std::move(known));
    if (infos_.size() > most_infos) infos_.pop_back();
}

std::optional<std::string> Kept::hash(const host::FileIdentity& file) const {
    if (!can_be_known(file)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto there = hashes_.find({file.device, file.inode});
    if (there == hashes_.end() || !is_same(there->second.file, file)) return std::nullopt;
    return there->second.hash;
}

void Kept::put(const host::FileIdentity& file, std::string hash, const std::optional<Stretch>& of) {
    const std::lock_guard lock(mutex_);   // also of one that is looked at each time: is_still() compares
    if (hashes_.size() >= most_hashes) hashes_.clear();
    hashes_.insert_or_assign({file.device, file.inode}, Hash{file, std::move(hash), of});
}

}   // namespace parallax::io
