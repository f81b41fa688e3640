#include "io/foreign.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace parallax::io {

namespace {

using namespace std::string_view_literals;

struct Mark {
    std::size_t at;
    std::string_view bytes;
    Foreign format;
};

constexpr const char* volume_hint = "convert it to NIfTI, for instance by SimpleITK or nibabel";
constexpr const char* picture_hint = "convert it to PNG or TIFF";
constexpr const char* microscope_hint = "export it as OME-TIFF, for instance by Bio-Formats (bfconvert) or Fiji";
constexpr const char* packed_hint = "unpack it first";

constexpr Mark marks[] = {
    {0, "CDF\x01"sv, {"a NetCDF file (MINC 1 is such)", volume_hint}},
    {0, "CDF\x02"sv, {"a NetCDF file", volume_hint}},
    {0, "\0\0\0\x0cjP  "sv, {"a JPEG 2000 file", picture_hint}},
    {0, "\xff\x4f\xff\x51"sv, {"a JPEG 2000 code stream", picture_hint}},
    {0, "II\xbc\x01"sv, {"a JPEG XR file", picture_hint}},
    {8, "WEBP"sv, {"a WebP picture", picture_hint}},
    {4, "ftyp"sv, {"a file of the MP4 family (HEIF or AVIF)", picture_hint}},
    {0, "\xd0\xcf\x11\xe0"sv, {"an OLE document (Zeiss's ZVI and Olympus's OIB are such)", "export it as OME-TIFF"}},
    {0, "8BPS"sv, {"a Photoshop document", picture_hint}},
    {0, "%PDF"sv, {"a PDF document", picture_hint}},
    {0, "%!PS"sv, {"a PostScript document", picture_hint}},
    {0, "\xc5\xd0\xd3\xc6"sv, {"a PostScript document", picture_hint}},
    {0, "v/1\x01"sv, {"an OpenEXR picture", picture_hint}},
    {0, "#?RADIANCE"sv, {"a Radiance picture", picture_hint}},
    {0, "#?RGBE"sv, {"a Radiance picture", picture_hint}},
    {0, "DDS "sv, {"a DirectDraw surface", picture_hint}},
    {0, "qoif"sv, {"a QOI picture", picture_hint}},
    {0, "icns"sv, {"an icon of macOS", picture_hint}},
    {0, "\0\0\x01\0"sv, {"an icon or a cursor of Windows", picture_hint}},
    {0, "\0\0\x02\0\x01\0"sv, {"an icon or a cursor of Windows", picture_hint}},
    {0, "\x01\xda"sv, {"a picture of Silicon Graphics's", picture_hint}},
    {0, "\x59\xa6\x6a\x95"sv, {"a Sun raster file", picture_hint}},
    {0, "P1\n"sv, {"a PBM of one bit", "convert it to PNG or PGM"}},
    {0, "P1 "sv, {"a PBM of one bit", "convert it to PNG or PGM"}},
    {0, "P4\n"sv, {"a PBM of one bit", "convert it to PNG or PGM"}},
    {0, "P4 "sv, {"a PBM of one bit", "convert it to PNG or PGM"}},
    {0, "P7\n"sv, {"a PAM picture", "convert it to PNG or TIFF"}},
    {0, "Pf\n"sv, {"a PFM of floating-point numbers", "convert it to TIFF"}},
    {0, "PF\n"sv, {"a PFM of floating-point numbers", "convert it to TIFF"}},
    {0, "ZISRAWFILE"sv, {"a Zeiss CZI file", microscope_hint}},
    {0, "\xda\xce\xbe\x0a"sv, {"a Nikon ND2 file", microscope_hint}},
    {0, "\x70\0\0\0"sv, {"a Leica LIF file", microscope_hint}},
    {4, "JXL "sv, {"a JPEG XL picture", picture_hint}},
    {0, "\xff\x0a"sv, {"a JPEG XL picture", picture_hint}},
    {0, "7z\xbc\xaf\x27\x1c"sv, {"a 7-Zip archive", packed_hint}},
    {0, "Rar!"sv, {"a RAR archive", packed_hint}},
    {0, "BZh"sv, {"a file compressed by bzip2", packed_hint}},
    {0,
     "\xfd"
     "7zXZ"sv,
     {"a file compressed by xz", packed_hint}},
    {0, "\x28\xb5\x2f\xfd"sv, {"a file compressed by zstd", packed_hint}},
    {257, "ustar"sv, {"a tar archive", packed_hint}},
};

bool is_text(Head head) {
    return head.size() > 3 && std::all_of(head.begin(), head.end(), [](unsigned char c) {
               return c == '\t' || c == '\n' || c == '\r' || (c >= 32 && c != 127);
           });
}

Foreign kind_of_text(Head head) {
    const auto first = std::find_if(head.begin(), head.end(), [](unsigned char c) { return c > ' '; });
    if (first != head.end() && *first == '<') return {"an HTML or XML page", "was an error page saved in place of the file?"};
    if (first != head.end() && (*first == '{' || *first == '['))
        return {"a JSON file", "inputs are images and arrays; a job is run by `parallax run FILE`"};
    return {"a text file", "a table of numbers can be saved as .npy with NumPy"};
}

}  // namespace

Foreign foreign_format(Head head) {
    for (const Mark& mark : marks) {
        if (head.size() < mark.at + mark.bytes.size()) continue;
        if (std::memcmp(head.data() + mark.at, mark.bytes.data(), mark.bytes.size()) == 0) return mark.format;
    }
    if (is_text(head)) return kind_of_text(head);
    return {};
}

}  // namespace parallax::io
