// PNG is read through libpng. libpng reports errors by longjmp: every call that can fail runs inside attempt(), whose
// callees own nothing that needs a destructor.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string_view>

#include "io/exif.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::png {
namespace {

/// Of the pixels' stream as it is stored: what may follow the last row. A checksum and what encoders pad with is far less, and so
/// much unpacks in a moment.
constexpr std::size_t most_behind = 64 << 10;

struct Message {
    char text[160] = "";
    std::FILE* file = nullptr;
    png_uint_32 rows = 0;   ///< 0: not known yet
    bool interlaced = false;
    std::size_t behind = 0;   ///< bytes of the pixels' stream read since the last row was complete
};

void on_error(png_structp png, png_const_charp text) {
    auto* message = static_cast<Message*>(png_get_error_ptr(png));
    std::strncpy(message->text, text, sizeof message->text - 1);
    png_longjmp(png, 1);
}

/// A stream of pixels whose check value does not fit, or that cannot be unpacked to its end, says that they are others than were written.
/// What libpng else warns of loses none: bytes behind the stream, or more pixels, as some encoders pad with.
void on_warning(png_structp png, png_const_charp text) {
    const std::string_view said = text;
    const bool padded = said.find("Extra compressed") != said.npos || said.find("Too much image data") != said.npos;
    if (said.starts_with("IDAT") && !padded) png_error(png, text);
}

/// libpng unpacks the pixels' stream to its end, also what no row takes: this is where that has its limit.
void on_read(png_structp png, png_bytep to, std::size_t bytes) {
    auto* message = static_cast<Message*>(png_get_error_ptr(png));
    const bool complete = message->interlaced ? png_get_current_pass_number(png) > 6
                                              : message->rows > 0 && png_get_current_row_number(png) >= message->rows;
    if (complete && png_get_io_chunk_type(png) == 0x49444154u) message->behind += bytes;   // "IDAT"
    if (message->behind > most_behind) png_error(png, "more pixels than rows and columns");
    if (std::fread(to, 1, bytes, message->file) != bytes) png_error(png, "Read Error");
}

/// What neither the pixels nor what is told of them needs is passed over unread: texts, profiles and palettes may unpack to a
/// thousand times their length, and libpng would keep hundreds of them.
void leave_out_the_rest(png_structp png) {
    static constexpr png_byte names[] = {
        "tEXt\0zTXt\0iTXt\0iCCP\0sPLT\0hIST\0sCAL\0pCAL\0cHRM\0gAMA\0sRGB\0sBIT\0bKGD\0oFFs\0tIME\0"};
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, (sizeof names - 1) / 5);
    // EXIF as it is stored: libpng's own reader asks for whatever length a chunk says that it has. Animations, which it does not
    // know.
    static constexpr png_byte kept[] = {"eXIf\0acTL"};
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, kept, 2);
}

template <class Work>
[[gnu::noinline]] bool attempt(png_structp png, const Work& work) {
    if (setjmp(png_jmpbuf(png))) return false;
    work();
    return true;
}

struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    Message message;

    Reader() {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, on_error, on_warning);
        info = png ? png_create_info_struct(png) : nullptr;
        if (!info) {
            png_destroy_read_struct(&png, nullptr, nullptr);
            throw std::bad_alloc();
        }
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct Picture {
    FileInfo file;
    int bits = 8;
    bool palette = false;
    std::array<std::array<std::uint8_t, 4>, 256> table{};  ///< the palette: red, green, blue, alpha
    int colours = 0;                                       ///< of it
};

[[noreturn]] void fail_with(const Source& source, const Reader& reader) {
    const std::string_view text = reader.message.text;
    if (text == "Read Error") fail(source, "ends inside the PNG data", "the file is cut off: write or copy it again");
    fail(source, fmt::format("its PNG data are damaged: {}", text), "write or copy the file again");
}

/// Reads everything up to the pixels.
Picture read_header(const Source& source, File& file, Reader& reader) {
    png_uint_32 width = 0, height = 0;
    int bits = 0, kind = 0, interlace = 0, palette_size = 0;
    png_colorp palette = nullptr;
    png_uint_32 per_metre_x = 0, per_metre_y = 0;
    png_unknown_chunkp kept = nullptr;
    int kept_chunks = 0;
    bool transparency = false;
    png_bytep alphas = nullptr;   // of a palette's first colours
    int alpha_count = 0;
    std::size_t row_bytes = 0;
    reader.message.file = file.handle();
    const bool ok = attempt(reader.png, [&] {
        png_set_read_fn(reader.png, nullptr, on_read);
        png_set_user_limits(reader.png, 0x7fffffff, 0x7fffffff);  // sizes are checked below against the file's length
        png_set_chunk_malloc_max(reader.png, std::min<std::uint64_t>(source.bytes, 8000000));   // of EXIF
        leave_out_the_rest(reader.png);
        png_read_info(reader.png, reader.info);
        png_get_IHDR(reader.png, reader.info, &width, &height, &bits, &kind, &interlace, nullptr, nullptr);
        png_get_PLTE(reader.png, reader.info, &palette, &palette_size);
        per_metre_x = png_get_x_pixels_per_meter(reader.png, reader.info);
        per_metre_y = png_get_y_pixels_per_meter(reader.png, reader.info);
        row_bytes = png_get_rowbytes(reader.png, reader.info);
        transparency = png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
        if (transparency) png_get_tRNS(reader.png, reader.info, &alphas, &alpha_count, nullptr);
        kept_chunks = png_get_unknown_chunks(reader.png, reader.info, &kept);
    });
    if (!ok) fail_with(source, reader);

    reader.message.rows = height;
    reader.message.interlaced = interlace != PNG_INTERLACE_NONE;
    Picture picture;
    if (transparency && kind != PNG_COLOR_TYPE_PALETTE) picture.file.ignored.push_back("the colour that is to be transparent");
    bool turned = false, animated = false;
    for (int i = 0; i < kept_chunks; ++i) {
        const std::span<const std::uint8_t> data(kept[i].data, kept[i].size);
        const bool exif = std::memcmp(kept[i].name, "eXIf", 4) == 0;
        if (exif && !turned) warn_of_orientation(picture.file, exif_orientation(data)), turned = true;
        if (exif || animated || data.size() < 4) continue;
        animated = true;
        const std::uint32_t frames =
            std::uint32_t{data[0]} << 24 | std::uint32_t{data[1]} << 16 | std::uint32_t{data[2]} << 8 | data[3];
        picture.file.ignored.push_back(fmt::format("an animation of {} frames: its picture is read", frames));
    }
    picture.bits = bits;
    const char* words = "grey";
    int channels = 1;
    switch (kind) {
        case PNG_COLOR_TYPE_GRAY:
            break;
        case PNG_COLOR_TYPE_GRAY_ALPHA:
            picture.file.colour = Colour::grey_alpha, channels = 2, words = "grey with alpha";
            break;
        case PNG_COLOR_TYPE_RGB:
            picture.file.colour = Colour::rgb, channels = 3, words = "RGB";
            break;
        case PNG_COLOR_TYPE_RGB_ALPHA:
            picture.file.colour = Colour::rgb_alpha, channels = 4, words = "RGB with alpha";
            break;
        default: {
            picture.palette = true;
            picture.colours = palette_size;
            bool grey = true;
            for (int i = 0; i < palette_size; ++i) {
                const std::uint8_t alpha = transparency && i < alpha_count ? alphas[i] : 255;
                picture.table[static_cast<std::size_t>(i)] = {palette[i].red, palette[i].green, palette[i].blue, alpha};
                grey = grey && palette[i].red == palette[i].green && palette[i].red == palette[i].blue;
            }
            words = grey ? "palette of greys" : "palette";
            if (!grey) picture.file.colour = Colour::rgb, channels = 3;
            if (!transparency) break;
            words = grey ? "palette of greys with alpha" : "palette with alpha";
            picture.file.colour = grey ? Colour::grey_alpha : Colour::rgb_alpha, ++channels;
        }
    }
    std::vector<ArrayDesc::Extent> extents = {{'y', height}, {'x', width}};
    if (channels > 1) extents.push_back({'c', channels});
    picture.file.format = "png";
    picture.file.file_bytes = source.bytes;
    picture.file.desc = declared(source, bits == 16 ? ElementType::u16 : ElementType::u8, extents);
    picture.file.detail = fmt::format("{}-bit {}{}", bits, words, interlace != PNG_INTERLACE_NONE ? ", interlaced" : "");
    // Nearly always the resolution of a screen, so a remark and not the array's spacing.
    if (per_metre_x != 0) {
        picture.file.metadata.notes["png.pixels_per_metre"] = fmt::format("{} x {}", per_metre_x, per_metre_y);
    }
    check_plausible(source, (std::uint64_t{row_bytes} + 1) * height, source.bytes,
                    deflate_ratio);   // a row has its filter's byte
    return picture;
}

void decode(const Source& source, Reader& reader, const Picture& picture, std::byte* to) {
    const ArrayDesc& desc = picture.file.desc;
    const auto height = static_cast<std::size_t>(desc.size('y')), width = static_cast<std::size_t>(desc.size('x'));
    std::vector<png_byte> indices(picture.palette ? height * width : 0);
    png_bytep first = picture.palette ? indices.data() : reinterpret_cast<png_bytep>(to);
    const std::size_t row = picture.palette ? width : desc.dense_bytes() / height;
    std::size_t expected_row = 0;
    int passes = 1;
    const bool ready = attempt(reader.png, [&] {
        if (picture.palette) {
            png_set_packing(reader.png);  // one index a byte
        } else if (picture.bits < 8) {
            png_set_expand_gray_1_2_4_to_8(reader.png);
        }
        if (picture.bits == 16 && std::endian::native == std::endian::little) png_set_swap(reader.png);
        passes = png_set_interlace_handling(reader.png);
        png_read_update_info(reader.png, reader.info);
        expected_row = png_get_rowbytes(reader.png, reader.info);
    });
    if (!ready) fail_with(source, reader);
    if (expected_row != row) fail(source, fmt::format("its rows decode to {} bytes instead of {}", expected_row, row));
    const bool done = attempt(reader.png, [&] {
        for (int pass = 0; pass < passes; ++pass) {
            for (std::size_t y = 0; y < height; ++y) png_read_row(reader.png, first + y * row, nullptr);
        }
        png_read_end(reader.png, nullptr);  // also finds a file that is cut off behind its last row
    });
    if (!done) fail_with(source, reader);
    if (!picture.palette) return;
    check_in_palette(source, *std::max_element(indices.begin(), indices.end()), picture.colours);   // there is a pixel
    auto* out = reinterpret_cast<std::uint8_t*>(to);
    const std::int64_t channels = desc.size('c');
    for (const png_byte index : indices) {
        const auto& entry = picture.table[index];
        *out++ = entry[0];
        if (channels > 2) *out++ = entry[1], *out++ = entry[2];
        if (channels % 2 == 0) *out++ = entry[3];
    }
}

}  // namespace

bool matches(Head head) { return head.size() >= 4 && head[0] == 0x89 && head[1] == 'P' && head[2] == 'N' && head[3] == 'G'; }

FileInfo info(const Source& source) {
    File file = source.open();
    Reader reader;
    return read_header(source, file, reader).file;
}

HostArray read(const Source& source) {
    File file = source.open();
    Reader reader;
    const Picture picture = read_header(source, file, reader);
    return read_picture(source, picture.file, [&](std::byte* to) { decode(source, reader, picture, to); });
}

}  // namespace parallax::io::png
