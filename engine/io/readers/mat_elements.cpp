#include "io/readers/mat_elements.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::mat {
namespace {

constexpr const char* again = "the file is damaged or cut off: save it again";
constexpr std::uint64_t head = 128, tag_bytes = 8;
constexpr std::uint32_t int8 = 1, int32 = 5, uint32 = 6, matrix = 14, compressed = 15, utf8 = 16;
constexpr std::uint32_t complex_flag = 0x800, logical_flag = 0x200;
constexpr int opaque = 17;                              ///< an object of a class: it has no dimensions here
constexpr std::uint32_t most_name = 2048, most_rank = 64;   ///< MATLAB's longest name, and more axes than anybody's

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

/// Calls f with a value of the type in which numbers are stored, one of those that have bytes_of().
template <class F>
void visit_stored(std::uint32_t type, F&& f) {
    switch (type) {
        case 1:
            return f(std::int8_t{});
        case 2:
            return f(std::uint8_t{});
        case 3:
            return f(std::int16_t{});
        case 4:
            return f(std::uint16_t{});
        case 5:
            return f(std::int32_t{});
        case 6:
            return f(std::uint32_t{});
        case 7:
            return f(float{});
        case 9:
            return f(double{});
        case 12:
            return f(std::int64_t{});
        default:
            return f(std::uint64_t{});
    }
}

/// The same with the type of a class of numbers.
template <class F>
void visit_class(int kind, F&& f) {
    constexpr std::array<std::uint32_t, 10> stored{9, 7, 1, 2, 3, 4, 5, 6, 12, 13};   // from double, the class 6, on
    visit_stored(stored.at(static_cast<std::size_t>(kind) - 6), f);
}

/// Whether a class's type has such a value: numbers are stored in any type that holds all of them. A larger real number is rounded, as
/// all of its class are.
template <class To, class From>
bool holds(From value) {
    if constexpr (std::is_floating_point_v<To> && std::is_floating_point_v<From>) {
        if constexpr (sizeof(To) < sizeof(From)) return !std::isfinite(value) || std::abs(value) <= std::numeric_limits<To>::max();
        else return true;
    } else if constexpr (std::is_floating_point_v<To>) {
        const To number = static_cast<To>(value);
        return number < std::ldexp(To{1}, std::numeric_limits<From>::digits) && static_cast<From>(number) == value;
    } else if constexpr (std::is_floating_point_v<From>) {   // the type's largest number and one is a power of two
        return value >= static_cast<From>(std::numeric_limits<To>::min()) &&
               value < std::ldexp(From{1}, std::numeric_limits<To>::digits) && value == std::trunc(value);
    } else {
        return std::in_range<To>(value);
    }
}

/// The file behind its head, an element at its top after the other.
class Top {
public:
    explicit Top(const std::string& path) : in(path, std::ios::binary) {
        std::array<char, head> first{};
        if (!in.read(first.data(), head)) throw Problem{"cannot be read", "see to its permissions, and to how many files may be open"};
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

/// What is in an element at the top, as it stands there or unpacked. `name`: the variable's, for messages.
class Inside {
public:
    Inside(Top& top, std::string name)
        : in_(top.in), left_(top.length), name_(std::move(name)), packed_(top.type == compressed) {
        in_.seekg(static_cast<std::streamoff>(top.end - top.length));
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
    [[noreturn]] void fail(const std::string& how) const { throw Problem{"its variable " + name_ + " " + how, again}; }

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
            if (code != Z_OK && !ended_ && done < count)   // what is damaged behind the bytes that are wanted is told with those
                fail("is compressed, and its bytes are damaged");
        }
        return done;
    }

    std::ifstream& in_;
    std::uint64_t left_;
    const std::string name_;
    const bool packed_;
    bool ended_ = false;
    z_stream stream_{};
    std::vector<unsigned char> input_, sink_;
};

/// The elements of a variable, one after the other.
class Walk {
public:
    Walk(Top& top, std::string name) : big_endian_(top.big_endian), inside_(top, std::move(name)), left_(top.length) {}

    /// Up to its values.
    Variable begin() {
        Variable variable;
        if (inside_.is_packed()) {
            left_ = tag_bytes;
            const Tag tag = next();
            if (tag.type != matrix) inside_.fail("is compressed, and no variable comes out");
            left_ = tag.length;
        }
        if (left_ == 0) return variable;   // as an empty one may be stored
        const Tag flags = next();
        if ((flags.type != uint32 && flags.type != int32) || flags.length != 8) inside_.fail("does not begin as one");
        const std::uint32_t word_of_flags = word(bytes_of_tag(flags).data(), big_endian_);
        variable.kind = static_cast<int>(word_of_flags & 0xff);
        variable.complex = (word_of_flags & complex_flag) != 0, variable.logical = (word_of_flags & logical_flag) != 0;
        if (variable.kind == opaque) return variable;
        const Tag dims = next();
        if ((dims.type != int32 && dims.type != uint32) || dims.length % 4 != 0 || dims.length > 4 * most_rank)
            inside_.fail("does not tell its dimensions as one does");
        const std::vector<unsigned char> sizes = bytes_of_tag(dims);
        for (std::size_t at = 0; at < sizes.size(); at += 4) variable.dims.push_back(word(sizes.data() + at, big_endian_));
        const Tag name = next();
        if ((name.type != int8 && name.type != utf8) || name.length > most_name) inside_.fail("does not tell its name as one does");
        const std::vector<unsigned char> letters = bytes_of_tag(name);
        variable.name.assign(letters.begin(), std::find(letters.begin(), letters.end(), '\0'));
        return variable;
    }

    /// Its values, behind begin(); with `to` all of them, and else, of one that is compressed, their length alone.
    void values(const Variable& variable, std::vector<char>* to) {
        const std::uint64_t elements = variable.elements();
        for (const bool imaginary : {false, true}) {
            if (imaginary && !variable.complex) break;
            const std::string what = imaginary ? "imaginary parts" : variable.complex ? "real parts" : "values";
            const Tag tag = next();
            const std::uint64_t bytes = bytes_of(tag.type);
            if (bytes == 0)
                inside_.fail("has " + what + " of the type " + std::to_string(tag.type) +
                             ", which is none of MATLAB's types of numbers");
            if (tag.length != elements * bytes)
                inside_.fail("has " + std::to_string(tag.length) + " bytes of " + what + " where its " + std::to_string(elements) +
                             " elements take " + std::to_string(elements * bytes));
            if (!tag.small && tag.length > left_)
                inside_.fail("ends before its " + std::to_string(tag.length) + " bytes of " + what + " do");
            if (inside_.is_packed() && !to) return;
            if (to)
                visit_class(variable.kind, [&]<class To>(To) { take<To>(tag, *to); });
            else
                pass(tag);
        }
        if (left_ >= tag_bytes)
            inside_.fail("has " + std::to_string(left_) + " bytes behind its elements that say nothing known");
        inside_.finish();
    }

private:
    struct Tag {
        std::uint32_t type = 0, length = 0;
        bool small = false;                     ///< its bytes stand in the tag itself
        std::array<unsigned char, 4> inside{};   ///< those
    };

    Tag next() {
        Raw raw{};
        if (left_ < tag_bytes || !inside_.read(raw.data(), tag_bytes)) inside_.fail("ends before its elements do");
        left_ -= tag_bytes;
        const std::uint32_t first = word(raw.data(), big_endian_);
        if (first >> 16 == 0) return {first, word(raw.data() + 4, big_endian_)};
        if (first >> 16 > 4) inside_.fail("has " + std::to_string(first >> 16) + " bytes where 4 find room");
        return {first & 0xffff, first >> 16, true, {raw[4], raw[5], raw[6], raw[7]}};
    }

    /// Behind what is left of an element's bytes: up to a multiple of eight, which the last one may lack.
    void pass(const Tag& tag, std::uint64_t taken = 0) {
        if (tag.small) return;
        const std::uint64_t length = tag.length, bytes = std::min((length + 7) / 8 * 8, std::max(left_ + taken, length)) - taken;
        if (bytes > left_ || !inside_.pass(bytes)) inside_.fail("ends before its elements do");
        left_ -= bytes;
    }

    /// The next bytes of an element, of which `taken` were read before.
    void read(const Tag& tag, std::uint64_t taken, unsigned char* to, std::uint64_t count) {
        if (tag.small)
            std::copy_n(tag.inside.data() + taken, count, to);
        else if (count > left_ || !inside_.read(to, count))
            inside_.fail("ends before its elements do");
        else
            left_ -= count;
    }

    /// Those of a short element.
    std::vector<unsigned char> bytes_of_tag(const Tag& tag) {
        std::vector<unsigned char> bytes(tag.length);
        read(tag, 0, bytes.data(), bytes.size());
        pass(tag, tag.length);
        return bytes;
    }

    /// Numbers as their class has them, behind those that are there.
    template <class To>
    void take(const Tag& tag, std::vector<char>& to) {
        visit_stored(tag.type, [&]<class From>(From) {
            std::vector<unsigned char> part(std::min<std::size_t>(tag.length, 1 << 16));
            for (std::uint64_t taken = 0; taken < tag.length;) {
                const std::uint64_t count = std::min<std::uint64_t>(tag.length - taken, part.size());
                read(tag, taken, part.data(), count);
                taken += count;
                std::size_t end = to.size();
                to.resize(end + count / sizeof(From) * sizeof(To));
                for (std::uint64_t at = 0; at < count; at += sizeof(From), end += sizeof(To)) {
                    From value;
                    if (big_endian_) std::reverse(part.data() + at, part.data() + at + sizeof value);
                    std::memcpy(&value, part.data() + at, sizeof value);
                    if (!holds<To>(value)) inside_.fail("has a value that no number of its class can be");
                    const To number = static_cast<To>(value);
                    std::memcpy(to.data() + end, &number, sizeof number);
                }
            }
        });
        pass(tag, tag.length);
    }

    const bool big_endian_;
    Inside inside_;
    std::uint64_t left_;   ///< in the variable
};

std::string which(std::size_t number) { return std::to_string(number + 1) + " (in the order of the file)"; }

/// The next element at the top, which must be a variable of which all bytes are there.
void next_variable(Top& top, std::size_t number, std::uint64_t begin, std::uint64_t bytes) {
    if (bytes - begin < tag_bytes || !top.next())
        throw Problem{"ends with " + std::to_string(bytes - begin) + " bytes that are no whole variable", again};
    if (top.type != matrix && top.type != compressed)
        throw Problem{"has something of the type " + std::to_string(top.type) + " where its variable " + which(number) +
                          " should stand",
                      again};
    if (top.end > bytes)
        throw Problem{"its variable " + which(number) + " takes " + std::to_string(top.length) + " bytes, and the file has " +
                          std::to_string(bytes - begin - tag_bytes) + " of them",
                      again};
}

/// `to`: as Walk::values() has it.
void walk(const std::string& path, const Variable& variable, std::vector<char>* to) {
    Top top(path);
    const std::string name = '"' + variable.name + '"';
    for (std::size_t i = 0; i <= variable.number; ++i) {
        if (!top.next()) throw Problem{"its variable " + name + " is not where it was", again};
    }
    Walk elements(top, name);
    const Variable there = elements.begin();
    if (there.name != variable.name || there.kind != variable.kind || there.complex != variable.complex ||
        there.dims != variable.dims)
        throw Problem{"its variable " + name + " is not what it was", again};
    elements.values(variable, to);
}

}   // namespace

std::uint64_t Variable::elements() const {
    std::uint64_t count = 1;
    for (const std::size_t size : dims) count *= size;
    return count;
}

std::vector<Variable> list_variables(const std::string& path, std::uint64_t bytes, std::size_t most) {
    Top top(path);
    std::vector<Variable> all;
    for (std::uint64_t begin = head; all.size() < most && begin < bytes; begin = top.end) {
        next_variable(top, all.size(), begin, bytes);
        Variable variable = Walk(top, which(all.size())).begin();
        variable.number = all.size();
        all.push_back(std::move(variable));
    }
    return all;
}

void check_variable(const std::string& path, const Variable& variable) { walk(path, variable, nullptr); }

std::vector<char> elements_of(const std::string& path, const Variable& variable) {
    std::vector<char> all;
    std::size_t each = 0;
    visit_class(variable.kind, [&](auto value) { each = sizeof value; });
    all.reserve(static_cast<std::size_t>(variable.elements()) * each * (variable.complex ? 2 : 1));
    walk(path, variable, &all);
    return all;
}

}   // namespace parallax::io::readers::mat
