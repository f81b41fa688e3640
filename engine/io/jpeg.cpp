// JPEG through libjpeg. Its error handler would end the program, and a truncated file would be filled up with grey
// and no more than a warning: both become errors here.
#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include "io/exif.hpp"
#include "io/file.hpp"
#include "io/format.hpp"

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

namespace parallax::io::jpeg {
namespace {

/// Scans of one picture. Programs write about ten; each costs as much as all pixels do, whatever its length.
constexpr int most_scans = 100;

struct Errors {
    jpeg_error_mgr base;
    std::jmp_buf jump;
    char text[JMSG_LENGTH_MAX] = "";
    bool damaged = false;
};

void on_exit(j_common_ptr jpeg) {
    auto* errors = reinterpret_cast<Errors*>(jpeg->err);
    jpeg->err->format_message(jpeg, errors->text);
    std::longjmp(errors->jump, 1);
}

/// A warning means lost pixels, except for strange bytes between the segments and doubtful headers.
void on_message(j_common_ptr jpeg, int level) {
    auto* errors = reinterpret_cast<Errors*>(jpeg->err);
    if (level >= 0 || errors->damaged) return;
    switch (jpeg->err->msg_code) {
        case JWRN_EXTRANEOUS_DATA:
        case JWRN_ADOBE_XFORM:
        case JWRN_JFIF_MAJOR:
            break;
        default:
            jpeg->err->format_message(jpeg, errors->text);
            errors->damaged = true;
    }
}

void no_output(j_common_ptr) {}

void count_scans(j_common_ptr jpeg) {
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > most_scans) on_exit(jpeg);
}

/// The next byte; files are never waited for, so that there always is one.
int next_byte(j_decompress_ptr jpeg) {
    jpeg_source_mgr& from = *jpeg->src;
    if (from.bytes_in_buffer == 0) from.fill_input_buffer(jpeg);
    --from.bytes_in_buffer;
    return *from.next_input_byte++;
}

/// libjpeg keeps each marker that it is told to save, and a file may have a million: the first EXIF block is enough.
struct Exif {
    std::vector<unsigned char> block;   ///< of the first length there is, so that nothing is asked for inside libjpeg
    std::size_t bytes = 0;
};

boolean on_exif(j_decompress_ptr jpeg) {
    auto& exif = *static_cast<Exif*>(jpeg->client_data);
    int length = next_byte(jpeg) << 8;
    length = std::max(0, (length | next_byte(jpeg)) - 2);
    int taken = 0;
    if (exif.bytes == 0) {
        for (; taken < length; ++taken) exif.block[static_cast<std::size_t>(taken)] = static_cast<unsigned char>(next_byte(jpeg));
        const bool is_exif = length > 6 && std::equal(exif.block.begin(), exif.block.begin() + 6, "Exif\0");
        if (is_exif) exif.bytes = static_cast<std::size_t>(length);
    }
    jpeg->src->skip_input_data(jpeg, length - taken);
    return TRUE;
}

struct Decoder {
    jpeg_decompress_struct jpeg{};
    Errors errors{};
    jpeg_progress_mgr progress{};
    Exif exif{std::vector<unsigned char>(0x10000), 0};

    Decoder() {
        jpeg.err = jpeg_std_error(&errors.base);
        errors.base.error_exit = on_exit;
        errors.base.emit_message = on_message;
        errors.base.output_message = no_output;
        progress.progress_monitor = count_scans;
        jpeg.client_data = &exif;
    }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    ~Decoder() { jpeg_destroy_decompress(&jpeg); }

    /// False after an error. What runs inside owns nothing that needs a destructor.
    template <class Work>
    [[gnu::noinline]] bool attempt(const Work& work) {
        if (setjmp(errors.jump)) return false;
        work();
        return true;
    }
};

[[noreturn]] void fail_with(const Source& source, const Decoder& decoder) {
    if (decoder.jpeg.input_scan_number > most_scans)
        fail(source, fmt::format("is a JPEG of more than {} scans", most_scans),
             "write it again: by other programs it has about ten");
    const std::string_view said = decoder.errors.text;
    if (said.starts_with("Unsupported JPEG"))   // more than 8 bits, without loss
        fail(source, fmt::format("is a JPEG of a kind that is not read: {}", said), "write it as TIFF or PNG");
    fail(source, fmt::format("its JPEG data are damaged or cut off: {}", said), "write or copy the file again");
}

FileInfo read_header(const Source& source, File& file, Decoder& decoder) {
    jpeg_decompress_struct& jpeg = decoder.jpeg;
    const bool ok = decoder.attempt([&] {
        jpeg_create_decompress(&jpeg);
        jpeg_stdio_src(&jpeg, file.handle());
        jpeg.progress = &decoder.progress;
        jpeg_set_marker_processor(&jpeg, JPEG_APP0 + 1, on_exif);
        jpeg_read_header(&jpeg, TRUE);
    });
    if (!ok || decoder.errors.damaged) fail_with(source, decoder);
    const int channels = jpeg.num_components;
    if (channels != 1 && channels != 3) {
        fail(source, fmt::format("is a JPEG of {} channels (CMYK?); 1 or 3 can be read", channels), "convert it to RGB or grey");
    }
    FileInfo result;
    result.format = "jpeg";
    result.file_bytes = source.bytes;
    std::vector<ArrayDesc::Extent> extents = {{'y', jpeg.image_height}, {'x', jpeg.image_width}};
    if (channels == 3) extents.push_back({'c', 3}), result.colour = Colour::rgb;
    result.desc = declared(source, ElementType::u8, extents);
    result.detail = fmt::format("{}{}", channels == 3 ? "colour" : "grey", jpeg.progressive_mode ? ", progressive" : "");
    const std::span<const unsigned char> exif(decoder.exif.block.data(), decoder.exif.bytes);
    if (!exif.empty()) warn_of_orientation(result, exif_orientation(exif.subspan(6)));
    check_plausible(source, result.desc.dense_bytes(), source.bytes, jpeg_ratio);
    return result;
}

/// Whether scans have brought all bits of the coefficients that they have brought. Before, a picture is there, but blurred. Of others
/// nothing need come (below 0): they are 0.
bool has_all_scans(const jpeg_decompress_struct& jpeg) {
    if (jpeg.coef_bits == nullptr) return true;   // it is not progressive
    for (int c = 0; c < jpeg.num_components; ++c)
        if (std::any_of(jpeg.coef_bits[c], jpeg.coef_bits[c] + DCTSIZE2, [](int missing) { return missing > 0; })) return false;
    return true;
}

}  // namespace

bool matches(Head head) { return head.size() >= 3 && head[0] == 0xff && head[1] == 0xd8 && head[2] == 0xff; }

FileInfo info(const Source& source) {
    File file = source.open();
    Decoder decoder;
    return read_header(source, file, decoder);
}

HostArray read(const Source& source) {
    File file = source.open();
    Decoder decoder;
    const FileInfo header = read_header(source, file, decoder);
    return read_picture(source, header, [&](std::byte* to) {
        jpeg_decompress_struct& jpeg = decoder.jpeg;
        const std::size_t row = header.desc.dense_bytes() / static_cast<std::size_t>(header.desc.size('y'));
        bool whole = true;
        const bool ok = decoder.attempt([&] {
            jpeg.out_color_space = header.colour == Colour::rgb ? JCS_RGB : JCS_GRAYSCALE;
            jpeg_start_decompress(&jpeg);
            while (jpeg.output_scanline < jpeg.output_height) {
                JSAMPROW at = reinterpret_cast<JSAMPROW>(to) + row * jpeg.output_scanline;
                jpeg_read_scanlines(&jpeg, &at, 1);
            }
            whole = has_all_scans(jpeg);
            jpeg_finish_decompress(&jpeg);
        });
        if (!ok || decoder.errors.damaged) fail_with(source, decoder);
        if (!whole)
            fail(source, "is a progressive JPEG picture without its last scans: it would be blurred",
                 "the file was cut off and closed again: copy the original");
    });
}

}  // namespace parallax::io::jpeg
