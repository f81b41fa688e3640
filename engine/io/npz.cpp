// NumPy's .npz: a ZIP archive of .npy files, stored or by deflate (PKWARE's APPNOTE 6.3, ZIP64 too). "dataset" says which.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <utility>

#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/text_header.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::npz {
namespace {

constexpr const char* again = "the archive is damaged or cut off: save it again";
constexpr std::uint64_t most_behind = 64 << 10;   ///< a comment at the end of an archive
constexpr std::uint64_t none_32 = 0xffffffff;     ///< look into ZIP64's field
constexpr std::size_t most_entries = 1 << 20;

struct Entry {
    std::string name;   ///< without ".npy"
    std::uint64_t stored = 0, bytes = 0, local = 0;
    std::uint32_t checksum = 0;   ///< CRC-32 of the bytes as they are unpacked
    int method = 0;
    bool encrypted = false;
};

/// The bytes of an entry, and their checksum as far as they have been read.
class EntryInput final : public Input {
public:
    EntryInput(std::unique_ptr<Input> input, const Source& source, const Entry& entry)
        : input_(std::move(input)), file_(source.name), name_(entry.name), checksum_(entry.checksum), left_(entry.bytes),
          packed_(entry.method != 0) {}
    void read(void* to, std::size_t bytes, const char* what) override {
        input_->read(to, bytes, what);
        sum_ = crc32_z(sum_, static_cast<const unsigned char*>(to), bytes);
        left_ -= std::min<std::uint64_t>(left_, bytes);
    }
    void skip(std::uint64_t bytes, const char* what) override {
        if (packed_) return read_past(bytes, what);   // they are unpacked all the same
        input_->skip(bytes, what);
        whole_ = whole_ && bytes == 0;
    }
    /// Where bytes were passed over the checksum says nothing.
    std::uint64_t finish(std::uint64_t most) override {
        std::uint64_t passed = 0;
        if (packed_) passed = input_->finish(most);   // so that what deflate says of its end is heard
        else if (whole_) read_past(left_, "what is behind the elements");
        if (whole_ && sum_ != checksum_)
            throw IoError(file_,
                          fmt::format("its array \"{}\" is damaged: its checksum (CRC-32) is {:08x}, and the archive says {:08x}",
                                      name_, sum_, checksum_),
                          again);
        return passed;
    }

private:
    void read_past(std::uint64_t bytes, const char* what) {
        std::vector<std::byte> sink(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1u << 17)));
        while (bytes > 0) {
            const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sink.size()));
            read(sink.data(), part, what);
            bytes -= part;
        }
    }

    std::unique_ptr<Input> input_;
    std::string file_, name_;
    std::uint32_t checksum_;
    uLong sum_ = 0;
    std::uint64_t left_;   ///< bytes that have not been read
    bool packed_, whole_ = true;
};

/// The list of entries, as the record at the archive's end has it.
struct Directory {
    std::uint64_t start = 0, bytes = 0, entries = 0;
};

Directory find_directory(const Source& source, File& file) {
    const std::uint64_t from = source.bytes - std::min<std::uint64_t>(source.bytes, most_behind + 22);
    std::vector<unsigned char> end(source.bytes - from);
    file.seek(from);
    file.read(end.data(), end.size(), "the end of the archive");
    for (std::size_t at = end.size() < 22 ? 0 : end.size() - 21; at-- > 0;) {
        if (load_little<std::uint32_t>(end.data() + at) != 0x06054b50) continue;
        Directory list{load_little<std::uint32_t>(end.data() + at + 16), load_little<std::uint32_t>(end.data() + at + 12),
                       load_little<std::uint16_t>(end.data() + at + 10)};
        std::uint64_t there = from + at;   // of the record that says where it is
        if (at >= 20 && load_little<std::uint32_t>(end.data() + at - 20) == 0x07064b50) {   // then ZIP64's counts, as in NumPy
            there = load_little<std::uint64_t>(end.data() + at - 12);
            unsigned char record[56] = {};
            if (there > source.bytes - std::min<std::uint64_t>(source.bytes, sizeof record))
                fail(source, "has a ZIP64 record past its end", again);
            file.seek(there);
            file.read(record, sizeof record, "the ZIP64 record");
            if (load_little<std::uint32_t>(record) != 0x06064b50) fail(source, "has no ZIP64 record where it says so", again);
            list = {load_little<std::uint64_t>(record + 48), load_little<std::uint64_t>(record + 40),
                    load_little<std::uint64_t>(record + 32)};
        }
        // Of a list that ends elsewhere programs read one part or another: NumPy counts from its end.
        if (list.start > there || list.bytes != there - list.start)
            fail(source,
                 fmt::format("says that its list of entries has {} bytes from byte {} on, and not up to byte {}, where it ends",
                             list.bytes, list.start, there),
                 again);
        return list;
    }
    fail(source, "is a ZIP archive without a list of entries at its end",
         "the archive is damaged or cut off: unpack what is left of it, or save it again");
}

std::vector<Entry> list_entries(const Source& source, File& file) {
    const Directory directory = find_directory(source, file);
    if (directory.entries > most_entries)
        fail(source, fmt::format("says that it has {} entries; up to {} are read", directory.entries, most_entries), again);
    std::vector<unsigned char> list(directory.bytes);
    file.seek(directory.start);
    file.read(list.data(), list.size(), "the list of entries");
    std::vector<Entry> entries;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        const unsigned char* const e = list.data() + at;
        if (at + 46 > list.size() || load_little<std::uint32_t>(e) != 0x02014b50)
            fail(source, fmt::format("says that it has {} entries, and its list is damaged behind {}", directory.entries, i),
                 again);
        Entry entry;
        entry.encrypted = (load_little<std::uint16_t>(e + 8) & 1) != 0;
        entry.method = load_little<std::uint16_t>(e + 10);
        entry.checksum = load_little<std::uint32_t>(e + 16);
        entry.stored = load_little<std::uint32_t>(e + 20);
        entry.bytes = load_little<std::uint32_t>(e + 24);
        entry.local = load_little<std::uint32_t>(e + 42);
        const std::size_t name = load_little<std::uint16_t>(e + 28), extra = load_little<std::uint16_t>(e + 30),
                          comment = load_little<std::uint16_t>(e + 32);
        if (at + 46 + name + extra + comment > list.size()) fail(source, "has an entry past the end of its list", again);
        entry.name.assign(reinterpret_cast<const char*>(e + 46), name);
        // ZIP64: the numbers that do not fit, in this order.
        for (std::size_t x = 0; x + 4 <= extra;) {
            const unsigned char* const field = e + 46 + name + x;
            const std::size_t length = load_little<std::uint16_t>(field + 2);
            if (x + 4 + length > extra) break;
            std::size_t place = 0;
            for (std::uint64_t* const number : {&entry.bytes, &entry.stored, &entry.local}) {
                if (load_little<std::uint16_t>(field) != 1 || *number != none_32 || place + 8 > length) continue;
                *number = load_little<std::uint64_t>(field + 4 + place);
                place += 8;
            }
            x += 4 + length;
        }
        if (entry.name.ends_with(".npy")) {
            entry.name.resize(entry.name.size() - 4);
            entries.push_back(std::move(entry));
        }
        at += 46 + name + extra + comment;
    }
    if (at != list.size())
        fail(source, fmt::format("says that it has {} entries, and its list goes on behind them", directory.entries), again);
    return entries;
}

struct Opened {
    std::shared_ptr<Input> input;
    npy::Header header;
};

Opened open_array(const Source& source) {
    File file = source.open();
    const std::vector<Entry> entries = list_entries(source, file);
    if (entries.empty())
        fail(source, "is a ZIP archive that holds no array of NumPy's", "unpack it first, or save an array by numpy.savez");
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        if (names.size() < 50) names.push_back(shortened(entry.name));
    }
    std::string wanted = source.options.dataset;
    if (wanted.ends_with(".npy")) wanted.resize(wanted.size() - 4);
    if (wanted.empty() && entries.size() > 1)
        fail(source, fmt::format("holds {} arrays: {}", entries.size(), fmt::join(names, ", ")),
             fmt::format("say which: \"dataset\": \"{}\"", names.front()));
    const auto entry = wanted.empty()
                           ? entries.begin()
                           : std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == wanted; });
    if (entry == entries.end())
        fail(source, fmt::format("has no array \"{}\"", wanted), fmt::format("it holds {}", fmt::join(names, ", ")));
    const auto same_name = [&](const Entry& e) { return e.name == entry->name; };
    if (std::count_if(entries.begin(), entries.end(), same_name) > 1)
        fail(source, fmt::format("has several arrays \"{}\", of which programs take one or another", entry->name), again);
    if (entry->encrypted)
        fail(source, fmt::format("has its array \"{}\" encrypted, which is not read", entry->name), "save it again");
    if (entry->method != 0 && entry->method != 8)
        fail(source,
             fmt::format("has its array \"{}\" compressed by ZIP's method {}, which is not read", entry->name, entry->method),
             "save it by numpy.savez or numpy.savez_compressed");
    unsigned char local[30] = {};
    if (entry->local > source.bytes - std::min<std::uint64_t>(source.bytes, sizeof local))
        fail(source, fmt::format("has its array \"{}\" at byte {}, past its end", entry->name, entry->local), again);
    file.seek(entry->local);
    file.read(local, sizeof local, "the head of an entry");
    if (load_little<std::uint32_t>(local) != 0x04034b50)
        fail(source, fmt::format("has no entry at byte {}, where its list says \"{}\"", entry->local, entry->name), again);
    const std::uint64_t data =
        entry->local + sizeof local + load_little<std::uint16_t>(local + 26) + load_little<std::uint16_t>(local + 28);
    if (data > source.bytes || entry->stored > source.bytes - data || (entry->method == 0 && entry->stored != entry->bytes))
        fail(source,
             fmt::format("says that its array \"{}\" has {} bytes from byte {} on, and has {} in all", entry->name, entry->stored,
                         data, source.bytes),
             again);
    check_plausible(source, entry->bytes, entry->stored, deflate_ratio);
    Opened opened;
    const Packing packing = entry->method == 0 ? Packing::none : Packing::deflate;
    opened.input = std::make_shared<EntryInput>(open_input(std::move(file), data, packing, entry->stored), source, *entry);
    opened.header = npy::read_header(source, *opened.input, entry->bytes);
    FileInfo& info = opened.header.file;
    info.format = "npz";
    info.file_bytes = source.bytes;
    info.detail = fmt::format("array \"{}\"{}, npy {}", entry->name, entry->method == 0 ? "" : " by deflate", info.detail);
    std::erase(names, shortened(entry->name));
    if (!names.empty()) info.ignored.push_back(fmt::format("{} other arrays: {}", entries.size() - 1, fmt::join(names, ", ")));
    return opened;
}

}   // namespace

bool matches(Head head) { return head.size() >= 4 && std::memcmp(head.data(), "PK\x03\x04", 4) == 0; }

FileInfo info(const Source& source) { return open_array(source).header.file; }

HostArray read(const Source& source) {
    const Opened opened = open_array(source);
    HostArray array = npy::read_array(source, *opened.input, opened.header);
    const bool all = opened.header.fortran || array.desc.count() == opened.header.file.desc.count();
    if (all) opened.input->finish(0);
    return array;
}

SliceStream slices(const Source& source) {
    const Opened opened = open_array(source);
    SliceStream stream = npy::stream_array(source, opened.input, opened.header);
    // Behind the last slice the checksum stands, which is looked at where none was passed over.
    const auto left = std::make_shared<std::int64_t>(stream.desc.count() / slice_of(stream.desc));
    stream.next = [next = std::move(stream.next), input = opened.input, left](std::int64_t count, std::byte* to) {
        next(count, to);
        if ((*left -= count) == 0) input->finish(0);
    };
    stream.skip = [skip = std::move(stream.skip), left](std::int64_t count) {
        skip(count);
        *left -= count;
    };
    return stream;
}

}   // namespace parallax::io::npz
