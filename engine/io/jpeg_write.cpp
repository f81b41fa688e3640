// JPEG files through libjpeg, for people to look at: colours are not halved where the quality is 90 or more.
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include "io/file.hpp"
#include "io/format.hpp"
#include "io/picture/picture.hpp"
#include "parallax/host/error.hpp"

extern "C" {
#include <jpeglib.h>
}

namespace parallax::io::jpeg {
namespace {

constexpr picture::Kind jpeg_kind = {"JPEG"};
constexpr std::int64_t most_pixels_a_side = 65500;
constexpr int quality_for_whole_colours = 90;

struct WriteErrors {
    jpeg_error_mgr base;
    std::jmp_buf jump;
    char text[JMSG_LENGTH_MAX] = "";
};

void on_write_exit(j_common_ptr jpeg) {
    auto* errors = reinterpret_cast<WriteErrors*>(jpeg->err);
    jpeg->err->format_message(jpeg, errors->text);
    std::longjmp(errors->jump, 1);
}

struct Encoder {
    jpeg_compress_struct jpeg{};
    WriteErrors errors{};
    unsigned char* bytes = nullptr;   ///< libjpeg's, of malloc()
    unsigned long count = 0;

    Encoder() {
        jpeg.err = jpeg_std_error(&errors.base);
        errors.base.error_exit = on_write_exit;
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;
    ~Encoder() {
        jpeg_destroy_compress(&jpeg);
        std::free(bytes);
    }

    /// False after an error. Owns nothing that needs a destructor.
    [[gnu::noinline]] bool encode(const JSAMPLE* pixels, JDIMENSION width, JDIMENSION height, int channels, int quality) {
        if (setjmp(errors.jump)) return false;
        jpeg_create_compress(&jpeg);
        jpeg_mem_dest(&jpeg, &bytes, &count);
        jpeg.image_width = width;
        jpeg.image_height = height;
        jpeg.input_components = channels;
        jpeg.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
        jpeg_set_defaults(&jpeg);
        jpeg_set_quality(&jpeg, quality, TRUE);
        if (channels == 3 && quality >= quality_for_whole_colours) {
            jpeg.comp_info[0].h_samp_factor = 1;
            jpeg.comp_info[0].v_samp_factor = 1;
        }
        jpeg_start_compress(&jpeg, TRUE);
        const std::size_t row = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
        while (jpeg.next_scanline < jpeg.image_height) {
            JSAMPROW at = const_cast<JSAMPROW>(pixels + row * jpeg.next_scanline);
            jpeg_write_scanlines(&jpeg, &at, 1);
        }
        jpeg_finish_compress(&jpeg);
        return true;
    }
};

}   // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions& options) {
    if (desc.size('x') > most_pixels_a_side || desc.size('y') > most_pixels_a_side)
        return fmt::format("JPEG holds at most {} rows and columns, this is {}: write a .png file", most_pixels_a_side,
                           desc.describe());
    return picture::problem(desc, options, jpeg_kind);
}

std::string encoded(const HostArray& given, const WriteOptions& options) {
    const HostArray array = picture::make(given, options, jpeg_kind);
    const bool colours = array.desc.axes.back().name == 'c';
    const std::size_t n = array.desc.axes.size() - (colours ? 1 : 0);
    const std::int64_t width = array.desc.axes[n - 1].size, height = n > 1 ? array.desc.axes[n - 2].size : 1;
    if (width > most_pixels_a_side || height > most_pixels_a_side)
        throw IoError(
            "",
            fmt::format("would be a JPEG of {} x {}, which holds at most {} rows and columns", width, height, most_pixels_a_side),
            "write a .png file");
    Encoder encoder;
    if (!encoder.encode(array.as<JSAMPLE>(), static_cast<JDIMENSION>(width), static_cast<JDIMENSION>(height), colours ? 3 : 1,
                        options.quality))
        throw IoError("", fmt::format("cannot be written: {}", encoder.errors.text), "write a .png file");
    return {reinterpret_cast<const char*>(encoder.bytes), encoder.count};
}

void write(const std::filesystem::path& path, const std::string&, const HostArray& given, const WriteOptions& options) {
    const std::string bytes = encoded(given, options);
    File file = File::create(path);
    file.write(bytes.data(), bytes.size());
    file.close();
}

}   // namespace parallax::io::jpeg
