#include "io/readers/dicom_meaning.hpp"

#include "io/readers/serve.hpp"

#include <set>

namespace parallax::io::readers::dicom {

namespace {

constexpr const char* to_rgb = "convert it to RGB";

bool is_grey(const std::string& name) { return name == "MONOCHROME1" || name == "MONOCHROME2"; }

/// Of PS3.3 C.7.6.3.1.2, those of earlier editions too.
bool is_colours(const std::string& name) {
    static const std::set<std::string> names = {
        "RGB",         "YBR_FULL",        "YBR_FULL_422",    "YBR_PARTIAL_422", "YBR_PARTIAL_420", "YBR_ICT",
        "YBR_RCT",     "HSV",             "ARGB",            "CMYK",            "XYB",
    };
    return names.contains(name);
}

bool is_rle(const Header& h) { return h.syntax == "1.2.840.10008.1.2.5"; }

/// JPEG 2000, of high throughput too.
bool is_wavelets(const Header& h) {
    return h.syntax.rfind("1.2.840.10008.1.2.4.9", 0) == 0 || h.syntax.rfind("1.2.840.10008.1.2.4.20", 0) == 0;
}

void check_one_sample(Header& h) {
    if (is_grey(h.photometric)) return;
    if (is_colours(h.photometric))
        throw Problem{"says that its one sample a pixel is " + h.photometric + ", which takes several", mend};
    if (h.is_palette()) {
        if (h.allocated != 8 && h.allocated != 16)
            throw Problem{"is a DICOM file with a palette for " + std::to_string(h.allocated) + " bits, which is not read",
                          to_rgb};
        return;
    }
    // Viewers show such as grey.
    h.warnings.push_back(
        (h.photometric.empty()
             ? std::string("it does not say what its values show (Photometric Interpretation)")
             : std::string("it says that its values show what DICOM does not know (Photometric Interpretation)")) +
        ": they are taken for grey, 0 for black");
}

void check_colours(Header& h, std::optional<std::int64_t> planar_configuration) {
    const std::string& name = h.photometric;
    if (is_grey(name) || h.is_palette()) throw Problem{"says that its 3 samples a pixel are " + name + ", which takes one", mend};
    const bool plain = !h.compressed || is_rle(h);
    if (name.empty() && !plain) throw Problem{"does not say what its 3 samples a pixel are (Photometric Interpretation)", mend};
    if (name.empty())
        h.warnings.push_back(
            "it does not say what its 3 samples a pixel are (Photometric Interpretation): they are taken for RGB");
    else if ((name == "YBR_ICT" || name == "YBR_RCT") && !is_wavelets(h))
        throw Problem{"says that its colours are " + name + ", which JPEG 2000 alone has", mend};
    else if (name != "RGB" && name != "YBR_FULL" && name != "YBR_FULL_422" && name != "YBR_ICT" && name != "YBR_RCT")
        throw Problem{is_colours(name) ? "is a DICOM file of colours " + name + ", which are not read"
                                       : "is a DICOM file of colours that DICOM does not know (Photometric Interpretation)",
                      to_rgb};
    if (h.allocated == 1) throw Problem{"is a DICOM file of colours of 1 bit, which are not read", to_rgb};
    if (name.rfind("YBR_", 0) == 0 && h.sign != 0) throw Problem{"says that its colours " + name + " have a sign", mend};
    if (planar_configuration.value_or(0) > 1)
        throw Problem{"says that its Planar Configuration is " + std::to_string(*planar_configuration) +
                          ", where 0 (pixel by pixel) and 1 (plane by plane) are known",
                      mend};
    if (name == "YBR_FULL_422" && plain && planar_configuration == 1)
        throw Problem{"says that its halved colours lie plane by plane, where DICOM has them pixel by pixel", mend};
    if (!h.compressed && !planar_configuration)
        h.warnings.push_back("it does not say how its colours lie (Planar Configuration): they are taken pixel by pixel");
}

/// Files of before 1993 have their bits at the upper end, say.
void check_bits(Header& h, std::optional<std::int64_t> high_bit) {
    h.high = h.stored - 1;
    if (!high_bit || *high_bit == h.high) return;
    const bool plain = !h.compressed || is_rle(h);
    if (plain && h.allocated > 1 && *high_bit > h.high && *high_bit < h.allocated) {
        h.high = *high_bit;
        h.bits_at = ", at bits " + std::to_string(h.high - h.stored + 1) + " to " + std::to_string(h.high) + " of " +
                    std::to_string(h.allocated) + ": moved down";
        return;
    }
    h.warnings.push_back("it says that bit " + std::to_string(*high_bit) + " is the highest of " + std::to_string(h.stored) +
                         (plain ? ", which cannot be" : ", which means nothing where pixels are compressed") + ": bit " +
                         std::to_string(h.high) + " is taken");
}

}   // namespace

std::string shown(const std::string& name) {
    return is_grey(name) || is_colours(name) || name == "PALETTE COLOR" ? name : "something else";
}

void check_syntax(const std::string& name) {
    struct Row {
        const char* beginning;
        const char* what;
        const char* hint;
    };
    constexpr const char* frames = "take the film out of it, for instance by pydicom or dcmtk, and read that";
    constexpr const char* convert =
        "convert it to JPEG 2000, JPEG-LS or RLE, for instance by pydicom's decompress() and compress()";
    constexpr Row rows[] = {
        {"1.2.840.10008.1.2.4.10", "as film (MPEG)", frames},
        {"1.2.840.10008.1.2.4.11", "by JPEG XL", convert},
        {"1.2.840.10008.1.2.4.20", "by high-throughput JPEG 2000", convert},
        {"1.2.840.10008.1.2.4.94", "elsewhere (JPIP)", convert},
        {"1.2.840.10008.1.2.4.95", "elsewhere (JPIP)", convert},
        {"1.2.840.10008.1.2.7.", "as film of a studio (SMPTE 2110)", frames},
    };
    for (const Row& row : rows)
        if (name.rfind(row.beginning, 0) == 0)
            throw Problem{std::string("is a DICOM file with its pixels ") + row.what + " (" + name + "), which is not read",
                          row.hint};
}

void check_meaning(Header& h, std::optional<std::int64_t> planar_configuration, std::optional<std::int64_t> high_bit) {
    if (h.sign != 0 && h.sign != 1)
        throw Problem{"says that its Pixel Representation is " + std::to_string(h.sign) +
                          ", where 0 (without a sign) and 1 (with one) are known",
                      mend};
    if (h.samples == 1)
        check_one_sample(h);
    else
        check_colours(h, planar_configuration);
    check_bits(h, high_bit);
}

}   // namespace parallax::io::readers::dicom
