#include "io/foreign.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace parallax::io {

namespace {

using namespace std::string_view_literals;

struct Signature {
    std::size_t at;
    std::string_view bytes;
    std::string_view name;
    std::string_view hint;
};

constexpr std::string_view medical = "convert it to NIfTI, for instance with dcm2niix";
constexpr std::string_view microscope = "export it as OME-TIFF, for instance with Bio-Formats (bfconvert) or Fiji";
constexpr std::string_view picture = "save it as PNG or TIFF";
constexpr std::string_view array = "save the array as .npy with NumPy";
constexpr std::string_view movie = "write its frames as TIFF or PNG, for instance with ffmpeg";
constexpr std::string_view packed = "unpack it first";

constexpr std::array signatures = std::to_array<Signature>({
    {128, "DICM", "a DICOM file", medical},
    {0, "NRRD0", "an NRRD file", "convert it to NIfTI, for instance with 3D Slicer or SimpleITK"},
    {0, "ObjectType", "a MetaImage file", "convert it to NIfTI, for instance with SimpleITK"},
    {0, "ZISRAWFILE", "a Zeiss CZI file", microscope},
    {0, "\xda\xce\xbe\x0a", "a Nikon ND2 file", microscope},
    {0, "\x70\x00\x00\x00", "a Leica LIF file", microscope},
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file", array},
    {0, "CDF\x01"sv, "a NetCDF file", array},
    {0, "CDF\x02"sv, "a NetCDF file", array},
    {0, "MATLAB 5.0", "a MATLAB file", array},
    {0, "SIMPLE  =", "a FITS file", "convert it to TIFF or NPY, for instance with astropy"},
    {0, "GIF8", "a GIF picture", picture},
    {8, "WEBP", "a WebP picture", picture},
    {4, "jP  ", "a JPEG 2000 picture", picture},
    {0, "\xff\x4f\xff\x51", "a JPEG 2000 picture", picture},
    {4, "JXL ", "a JPEG XL picture", picture},
    {0, "\xff\x0a", "a JPEG XL picture", picture},
    {4, "ftypavif", "an AVIF picture", picture},
    {4, "ftyphei", "a HEIC picture", picture},
    {0, "8BPS", "a Photoshop file", picture},
    {0, "\x76\x2f\x31\x01", "an OpenEXR picture", picture},
    {0, "#?RADIANCE", "a Radiance picture", picture},
    {0, "%PDF", "a PDF document", picture},
    {0, "%!PS", "a PostScript document", picture},
    {8, "AVI ", "an AVI film", movie},
    {4, "ftyp", "an MP4 film", movie},
    {0, "\x1a\x45\xdf\xa3", "a Matroska or WebM film", movie},
    {0, "PK\x03\x04", "a ZIP archive (or .npz, .docx, .zarr in one)", packed},
    {0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", packed},
    {0, "Rar!", "a RAR archive", packed},
    {0, "BZh", "a file compressed by bzip2", packed},
    {0, "\xfd" "7zXZ", "a file compressed by xz", packed},
    {0, "\x28\xb5\x2f\xfd", "a file compressed by zstd", packed},
    {257, "ustar", "a tar archive", packed},
});

bool is_text(std::span<const unsigned char> head) {
    return head.size() > 3 && std::all_of(head.begin(), head.end(), [](unsigned char c) { return c == '\t' || c == '\n' || c == '\r' || (c >= 32 && c != 127); });
}

}  // namespace

Foreign foreign_format(std::span<const unsigned char> head) {
    const std::string_view bytes(reinterpret_cast<const char*>(head.data()), head.size());
    for (const Signature& s : signatures) {
        if (bytes.size() >= s.at + s.bytes.size() && bytes.substr(s.at, s.bytes.size()) == s.bytes) return {std::string(s.name), std::string(s.hint)};
    }
    if (!is_text(head)) return {};
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != bytes.npos && bytes[first] == '<') return {"an HTML or XML page", "was an error page saved in place of the file?"};
    if (first != bytes.npos && (bytes[first] == '{' || bytes[first] == '[')) return {"a JSON file", "inputs are images and arrays; a job is run by `parallax run FILE`"};
    return {"a text file", "a table of numbers can be saved as .npy with NumPy"};
}

}  // namespace parallax::io
