// Netpbm's PGM and PPM, binary (P5, P6) and as text (P2, P3), 8 and 16 bits. Read here: stb_image (2.27) leaves the
// big-endian samples of 16-bit files swapped. Values are not scaled to the declared maximum; a note holds it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "io/file.hpp"
#include "io/format.hpp"

namespace parallax::io::pgm {
namespace {

struct Picture {
    FileInfo file;
    bool text = false;
    std::int64_t most = 0;  ///< declared maximum
};

/// Three numbers, and comments: no program writes more.
constexpr std::uint64_t most_header_bytes = 8 << 20;
/// A pixel as text: its digits, what is blank around them, and a line of a comment.
constexpr std::uint64_t most_pixel_bytes = 1 << 20;

constexpr const char* whole_numbers = "a PGM or PPM holds whole numbers with white space between them: write the file again";

bool is_blank(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// A byte, for a message.
std::string shown(unsigned char c) {
    return c > ' ' && c < 0x7f ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("the byte {:#04x}", c);
}

/// What stands behind a number's digits.
enum class Behind {
    blank_or_comment,   ///< or the end of the file
    pixels              ///< one blank and no more, as all that follows are pixels
};

/// A number of the header or of a text file; comments run from # to the end of the line.
std::int64_t read_number(const Source& source, File& file, const char* what, std::uint64_t most_bytes,
                         Behind behind = Behind::blank_or_comment) {
    // At the end of the file a line's end, where the file may end.
    auto next = [&, left = most_bytes](bool may_end = false) mutable {
        unsigned char c = '\n';
        if (left-- == 0)
            fail(source, fmt::format("has more than {} bytes where {} should stand", most_bytes, what),
                 "the file is damaged: write it again");
        if (file.read_some(&c, 1) == 0 && !may_end) file.read(&c, 1, what);   // says why there is none
        return c;
    };
    unsigned char c = next();
    while (is_blank(c) || c == '#') {
        if (c == '#') {
            while (c != '\n' && c != '\r') c = next();
        } else {
            c = next();
        }
    }
    if (c < '0' || c > '9')
        fail(source, fmt::format("has no number where {} should stand, but {}", what, shown(c)), whole_numbers);
    std::int64_t value = 0;
    while (c >= '0' && c <= '9') {
        value = value * 10 + (c - '0');
        if (value > 0x7fffffff)
            fail(source, fmt::format("has a number past 2147483647 for {}", what), "the file is damaged: write it again");
        c = next(true);
    }
    // Netpbm's programs begin the pixels on the next line; by its description (pbm(5)), and in Pillow, the number goes on there.
    if (c == '#' && behind == Behind::pixels)
        fail(source, fmt::format("has a comment directly behind {}: programs differ in where they begin the pixels", what),
             "write the comment before the sizes, and one line's end between the largest value and the pixels");
    if (!is_blank(c) && c != '#')
        fail(source, fmt::format("has {} behind the digits of {}, where white space or a comment should be", shown(c), what),
             whole_numbers);
    if (c == '#')
        while (c != '\n' && c != '\r') c = next(true);
    return value;
}

/// How many bytes stand behind so many numbers, from the first that is neither blank nor in a comment on. None where one number, or
/// what stands before it, is longer than any that is read: a file may end in a TB of nothing.
std::uint64_t bytes_behind(const Source& source, File& file, std::uint64_t numbers) {
    std::vector<char> block(1u << 17);
    bool inside = false, comment = false;
    for (std::uint64_t at = static_cast<std::uint64_t>(file.tell()), begun = at;;) {
        const std::size_t got = file.read_some(block.data(), block.size());
        if (got == 0 || at - begun > most_pixel_bytes) return 0;
        for (std::size_t i = 0; i < got; ++i) {
            const auto c = static_cast<unsigned char>(block[i]);
            if (comment || c == '#' || is_blank(c)) {
                comment = comment ? c != '\n' && c != '\r' : c == '#';
                inside = false;
            } else if (!std::exchange(inside, true)) {
                if (numbers-- == 0) return source.bytes - (at + i);
                begun = at + i;
            }
        }
        at += got;
    }
}

Picture read_header(const Source& source, File& file) {
    unsigned char magic[2] = {};
    file.read(magic, 2, "the header");
    Picture picture;
    picture.text = magic[1] == '2' || magic[1] == '3';
    const bool colour = magic[1] == '3' || magic[1] == '6';
    const std::int64_t width = read_number(source, file, "the width", most_header_bytes);
    const std::int64_t height = read_number(source, file, "the height", most_header_bytes);
    picture.most = read_number(source, file, "the largest value", most_header_bytes,
                               picture.text ? Behind::blank_or_comment : Behind::pixels);
    if (picture.most < 1 || picture.most > 65535) {
        fail(source, fmt::format("declares {} as its largest value; 1 to 65535 can be read", picture.most),
             "the file is damaged: write it again");
    }
    std::vector<ArrayDesc::Extent> extents = {{'y', height}, {'x', width}};
    if (colour) extents.push_back({'c', 3});
    FileInfo& info = picture.file;
    info.format = "pgm";
    if (colour) info.colour = Colour::rgb;
    info.file_bytes = source.bytes;
    info.desc = declared(source, picture.most > 255 ? ElementType::u16 : ElementType::u8, extents);
    info.detail = fmt::format("P{}, largest value {}", static_cast<char>(magic[1]), picture.most);
    info.metadata.notes["pgm.largest_value"] = fmt::format("{}", picture.most);
    // A sample takes its bytes, or in a text file at least a digit and a blank (none behind the last).
    const auto samples = static_cast<std::uint64_t>(info.desc.count());
    const std::uint64_t needed = picture.text ? samples * 2 - 1 : info.desc.dense_bytes();
    const std::uint64_t rest = source.bytes - std::min(source.bytes, static_cast<std::uint64_t>(file.tell()));
    if (needed > rest) {
        fail(source, fmt::format("says that it holds {}, but only {} bytes follow its header", info.desc.describe(), rest),
             "the file is cut off or its header is damaged: write or copy it again");
    }
    if (!picture.text && rest > needed) {
        const std::uint64_t start = static_cast<std::uint64_t>(file.tell());
        unsigned char next[2] = {};
        file.seek(start + needed);
        const bool another = file.read_some(next, 2) == 2 && next[0] == 'P' && next[1] == magic[1];
        file.seek(start);
        info.ignored.push_back(another ? fmt::format("what stands behind its first picture: another one, {} bytes", rest - needed)
                                       : fmt::format("{} bytes behind its pixels", rest - needed));
    }
    return picture;
}

/// Without a branch for each, so that many are looked at at once.
template <class T>
T largest_of(const T* values, std::int64_t count) {
    T most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, values[i]);
    return most;
}

void check_most(const Source& source, const Picture& picture, std::int64_t value) {
    if (value > picture.most)
        fail(source, fmt::format("holds {} where {} is its largest value", value, picture.most), "the file is damaged");
}

void decode(const Source& source, File& file, const Picture& picture, std::byte* to) {
    const ArrayDesc& desc = picture.file.desc;
    if (!picture.text) {
        file.read(to, desc.dense_bytes(), "the pixels");
        if (std::endian::native == std::endian::little) swap_bytes(to, desc.count(), desc.type);
        if (picture.most == 255 || picture.most == 65535) return;   // which no element is above
        visit_real(desc.type, [&]<class T>(T) {
            check_most(source, picture, static_cast<std::int64_t>(largest_of(reinterpret_cast<const T*>(to), desc.count())));
        });
        return;
    }
    visit_real(desc.type, [&]<class T>(T) {
        T* out = reinterpret_cast<T*>(to);
        for (std::int64_t i = 0, n = desc.count(); i < n; ++i) {
            const std::int64_t value = read_number(source, file, "the pixels", most_pixel_bytes);
            check_most(source, picture, value);
            out[i] = static_cast<T>(value);
        }
    });
}

}  // namespace

bool matches(Head head) {
    return head.size() >= 3 && head[0] == 'P' && (head[1] == '2' || head[1] == '3' || head[1] == '5' || head[1] == '6') &&
           (head[2] == ' ' || (head[2] >= '\t' && head[2] <= '\r') || head[2] == '#');
}

FileInfo info(const Source& source) {
    File file = source.open();
    Picture picture = read_header(source, file);
    const auto samples = static_cast<std::uint64_t>(picture.file.desc.count());
    if (const std::uint64_t behind = picture.text ? bytes_behind(source, file, samples) : 0; behind > 0)
        picture.file.ignored.push_back(fmt::format("{} bytes behind its pixels", behind));
    return picture.file;
}

HostArray read(const Source& source) {
    File file = source.open();
    const Picture picture = read_header(source, file);
    return read_picture(source, picture.file, [&](std::byte* to) { decode(source, file, picture, to); });
}

}  // namespace parallax::io::pgm
