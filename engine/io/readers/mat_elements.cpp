#include "io/readers/mat_elements.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <new>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::mat {
namespace {

constexpr const char* again = "the file is damaged or cut off: save it again";
constexpr std::uint64_t head = 128, tag_bytes = 8;
constexpr std::uint32_t int8 = 1, int32 = 5, uint32 = 6, matrix = 14, compressed = 15;

using Raw = std::array<unsigned char, tag_bytes>;

std::uint32_t word(const unsigned char* at, bool big_endian) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(at[i]) << 8 * (big_endian ? 3 - i : i);
    return value;
}

/// Of the numbers of a type; 0: no numbers.
std::uint64_t bytes_of(std::uint32_t type) {
    constexpr std::array<std::uint8_t, 14> sizes{0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return type < sizes.size() ? sizes[type] : 0;
}

/// The file behind its head, an element at its top after the other.
class Top {
public:
    explicit Top(const std::string& path) : in(path, std::ios::binary) {
        std::array<char, head> first{};
        in.read(first.data(), head);
        big_endian = first[126] == 'M' && first[127] == 'I';
    }

    bool next() {
        Raw raw{};
        if (!in.seekg(static_cast<std::streamoff>(end)).read(reinterpret_cast<char*>(raw.data()), tag_bytes)) return false;
        type = word(raw.data(), big_endian), length = word(raw.data() + 4, big_endian);
        end += tag_bytes + length;
        return true;
    }

    std::ifstream in;
    bool big_endian = false;
    std::uint32_t type = 0, length = 0;
    std::uint64_t end = head;
};

/// What is in an element at the top, as it stands there or unpacked.
class Inside {
public:
    Inside(Top& top, const std::string& name) : in_(top.in), left_(top.length), name_(name), packed_(top.type == compressed) {
        if (!packed_) return;
        if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
        input_.resize(1 << 16), sink_.resize(1 << 16);
    }
    ~Inside() { inflateEnd(&stream_); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    /// Whether so many bytes were there.
    bool read(unsigned char* to, std::uint64_t count) {
        if (packed_) return unpack(to, count) == count;
        if (count > left_) return false;
        left_ -= count;
        return static_cast<bool>(in_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count)));
    }
    bool pass(std::uint64_t count) {
        if (packed_) return unpack(nullptr, count) == count;
        if (count > left_) return false;
        left_ -= count;
        return static_cast<bool>(in_.seekg(static_cast<std::streamoff>(count), std::ios::cur));
    }
    /// Unpacks what is left, to the checksum.
    void finish() {
        if (packed_) unpack(nullptr, UINT64_MAX);
    }
    bool is_packed() const { return packed_; }

private:
    /// How many bytes came: fewer than asked for at the end of the stream alone.
    std::uint64_t unpack(unsigned char* to, std::uint64_t count) {
        std::uint64_t done = 0;
        while (done < count && !ended_) {
            if (stream_.avail_in == 0 && left_ > 0) {
                const std::uint64_t part = std::min<std::uint64_t>(left_, input_.size());
                in_.read(reinterpret_cast<char*>(input_.data()), static_cast<std::streamsize>(part));
                stream_.next_in = input_.data();
                stream_.avail_in = static_cast<uInt>(in_.gcount());
                left_ -= part;
            }
            const std::uint64_t room = std::min<std::uint64_t>(count - done, sink_.size());
            stream_.next_out = to ? to + done : sink_.data();
            stream_.avail_out = static_cast<uInt>(room);
            const int code = inflate(&stream_, Z_NO_FLUSH);
            done += room - stream_.avail_out;
            ended_ = code == Z_STREAM_END;
            if (code != Z_OK && !ended_)
                throw Problem{"its variable \"" + name_ + "\" is compressed, and its bytes are damaged", again};
        }
        return done;
    }

    std::ifstream& in_;
    std::uint64_t left_;
    const std::string& name_;
    const bool packed_;
    bool ended_ = false;
    z_stream stream_{};
    std::vector<unsigned char> input_, sink_;
};

/// The elements of a variable.
class Walk {
public:
    Walk(Top& top, const Shape& shape)
        : shape_(shape), big_endian_(top.big_endian), inside_(top, shape.name), left_(top.length) {}

    void go(bool to_the_end) {
        if (inside_.is_packed()) {
            left_ = tag_bytes;
            const Tag tag = next();
            if (tag.type != matrix) fail("is compressed, and no variable comes out");
            left_ = tag.length;
        }
        const Tag flags = next();
        if ((flags.type != uint32 && flags.type != int32) || flags.length != 8) fail("does not begin as one");
        pass(flags);
        const Tag dims = next();
        if (dims.type != int32 || dims.length != 4 * shape_.rank) fail("does not tell its dimensions as one does");
        pass(dims);
        const Tag name = next();
        if (name.type != int8 || name.length < shape_.name.size()) fail("does not tell its name as one does");
        pass(name);
        for (const bool imaginary : {false, true}) {
            if (imaginary && !shape_.complex) break;
            const std::string what = imaginary ? "imaginary parts" : shape_.complex ? "real parts" : "values";
            const Tag tag = next();
            const std::uint64_t bytes = bytes_of(tag.type);
            if (bytes == 0)
                fail("has " + what + " of the type " + std::to_string(tag.type) + ", which is none of MATLAB's types of numbers");
            if (tag.length != shape_.elements * bytes)
                fail("has " + std::to_string(tag.length) + " bytes of " + what + " where its " + std::to_string(shape_.elements) +
                     " elements take " + std::to_string(shape_.elements * bytes));
            if (!tag.small && tag.length > left_)
                fail("ends before its " + std::to_string(tag.length) + " bytes of " + what + " do");
            if (inside_.is_packed() && !to_the_end) return;
            pass(tag);
        }
        if (left_ >= tag_bytes) fail("has " + std::to_string(left_) + " bytes behind its elements that say nothing known");
        inside_.finish();
    }

private:
    struct Tag {
        std::uint32_t type = 0, length = 0;
        bool small = false;   ///< its bytes stand in the tag itself
    };

    [[noreturn]] void fail(const std::string& how) const { throw Problem{"its variable \"" + shape_.name + "\" " + how, again}; }

    Tag next() {
        Raw raw{};
        if (left_ < tag_bytes || !inside_.read(raw.data(), tag_bytes)) fail("ends before its elements do");
        left_ -= tag_bytes;
        const std::uint32_t first = word(raw.data(), big_endian_);
        if (first >> 16 == 0) return {first, word(raw.data() + 4, big_endian_), false};
        if (first >> 16 > 4) fail("has " + std::to_string(first >> 16) + " bytes where 4 find room");
        return {first & 0xffff, first >> 16, true};
    }

    /// Up to a multiple of eight, which the last one may lack.
    void pass(const Tag& tag) {
        if (tag.small) return;
        const std::uint64_t length = tag.length, bytes = std::min((length + 7) / 8 * 8, std::max(left_, length));
        if (bytes > left_ || !inside_.pass(bytes)) fail("ends before its elements do");
        left_ -= bytes;
    }

    const Shape& shape_;
    const bool big_endian_;
    Inside inside_;
    std::uint64_t left_;   ///< in the variable
};

}   // namespace

std::size_t count_variables(const std::string& path, std::uint64_t bytes, std::size_t most) {
    Top top(path);
    std::size_t count = 0;
    for (std::uint64_t begin = head; count < most && begin < bytes; begin = top.end, ++count) {
        const std::string which = "its variable " + std::to_string(count + 1) + " (in the order of the file)";
        if (bytes - begin < tag_bytes || !top.next())
            throw Problem{"ends with " + std::to_string(bytes - begin) + " bytes that are no whole variable", again};
        if (top.type != matrix && top.type != compressed)
            throw Problem{"has something of the type " + std::to_string(top.type) + " where " + which + " should stand", again};
        if (top.end > bytes)
            throw Problem{which + " takes " + std::to_string(top.length) + " bytes, and the file has " +
                              std::to_string(bytes - begin - tag_bytes) + " of them",
                          again};
    }
    return count;
}

void check_variable(const std::string& path, const Shape& shape, bool to_the_end) {
    Top top(path);
    for (std::size_t i = 0; i <= shape.number; ++i) {
        if (!top.next()) throw Problem{"its variable \"" + shape.name + "\" is not where it was", again};
    }
    top.in.seekg(static_cast<std::streamoff>(top.end - top.length));
    Walk(top, shape).go(to_the_end);
}

}   // namespace parallax::io::readers::mat
