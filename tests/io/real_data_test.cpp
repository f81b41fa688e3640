// Real files against what PIL 12, tifffile and nibabel say of them: sums and single elements.
#include <cmath>

#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

double sum_of(const HostArray& array) {
    double sum = 0;
    for (std::int64_t i = 0; i < array.desc.count(); ++i) {
        switch (array.desc.type) {
            case ElementType::u8:
                sum += array.as<std::uint8_t>()[i];
                break;
            case ElementType::u16:
                sum += array.as<std::uint16_t>()[i];
                break;
            case ElementType::i16:
                sum += array.as<std::int16_t>()[i];
                break;
            case ElementType::f32:
                sum += static_cast<double>(array.as<float>()[i]);
                break;
            default:
                FAIL("not in this table");
        }
    }
    return sum;
}

double element(const HostArray& array, std::int64_t i) {
    switch (array.desc.type) {
        case ElementType::u8:
            return array.as<std::uint8_t>()[i];
        case ElementType::u16:
            return array.as<std::uint16_t>()[i];
        case ElementType::i16:
            return array.as<std::int16_t>()[i];
        default:
            return static_cast<double>(array.as<float>()[i]);
    }
}

}  // namespace

TEST_CASE("pictures") {
    struct Row {
        const char* name;
        const char* shape;
        double sum, at_10_20, last;
    };
    const Row rows[] = {
        {"holo/fringe_seq_0_300.tif", "u16 512 x 512 (y, x)", 4813507131., 30908, 266},
        {"holo/fringe_seq_4_500.tif", "u16 512 x 512 (y, x)", 4794084722., 3411, 9730},
        {"holo/holopy_bg01.jpg", "u8 512 x 512 (y, x)", 36464566, 99, 145},
        {"holo/holopy_bg02.jpg", "u8 512 x 512 (y, x)", 36369217, 99, 144},
        {"holo/holopy_bg03.jpg", "u8 512 x 512 (y, x)", 36459117, 99, 140},
        {"holo/holopy_image01.jpg", "u8 512 x 512 (y, x)", 36600582, 99, 144},
        {"holo/momey_beads1um_crop.tiff", "u16 512 x 512 (y, x)", 4549333808., 17280, 19232},
        {"holo/pydhm_horse.bmp", "u8 1024 x 1280 (y, x)", 50455615, 37, 35},
        {"holo/pydhm_plus3cm.tif", "u8 1024 x 1224 (y, x)", 20823837, 12, 9},
        {"std/camera.png", "u8 512 x 512 (y, x)", 33832495, 200, 149},
        {"std/cell.png", "u8 660 x 550 (y, x)", 24669746, 73, 61},
        {"std/coins.png", "u8 303 x 384 (y, x)", 11269333, 125, 7},
        {"std/moon.png", "u8 512 x 512 (y, x)", 29404580, 115, 118},
        {"std/phantom.png", "u8 400 x 400 (y, x)", 5024885, 0, 0},
        {"std/imagej_blobs.tif", "u8 254 x 256 (y, x)", 6714936, 216, 48},
        {"us/pydicom_examples_palette.png", "u8 350 x 800 (y, x)", 5443983, 58, 0},
        {"us/pydicomdata_US1_UNCR.png", "u8 480 x 640 (y, x)", 10935979, 0, 0},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.name));
        const fs::path path = real_data(row.name);
        if (path.empty()) continue;
        const HostArray array = io::read(path, {.grey = true});
        CHECK(array.desc.describe() == row.shape);
        CHECK(sum_of(array) == row.sum);
        CHECK(element(array, 10 * array.desc.size('x') + 20) == row.at_10_20);
        CHECK(element(array, array.desc.count() - 1) == row.last);
        CHECK(io::info(path).desc.size('y') == array.desc.size('y'));
    }
}

TEST_CASE("stacks of pages") {
    struct Row {
        const char* name;
        double sum, at_1_10_20, last;
    };
    for (const Row& row :
         {Row{"micro/stardist_img3d.tif", 21342435, 202, 219}, Row{"micro/stardist_mask3d.tif", 3198014, 23, 32}}) {
        CAPTURE(std::string(row.name));
        const fs::path path = real_data(row.name);
        if (path.empty()) continue;
        const HostArray array = io::read(path, {.page_axis = 'z'});
        CHECK(array.desc.describe() == "u16 31 x 61 x 57 (z, y, x)");
        CHECK(sum_of(array) == row.sum);
        CHECK(element(array, (1 * 61 + 10) * 57 + 20) == row.at_1_10_20);
        CHECK(element(array, array.desc.count() - 1) == row.last);
        const HostArray two = io::read(path, {.pages = {{1, 3}}});
        CHECK(two.desc.describe() == "u16 2 x 61 x 57 (z, y, x)");
        CHECK(element(two, 10 * 57 + 20) == row.at_1_10_20);
    }
}

TEST_CASE("volumes") {
    struct Row {
        const char* name;
        const char* shape;
        double sum;
        std::array<std::int64_t, 3> zyx;
        double value;
        std::array<double, 16> affine;
        const char* unit;
    };
    const std::array<double, 16> mni = {1, 0, 0, -98, 0, 1, 0, -134, 0, 0, 1, -72, 0, 0, 0, 1};
    const Row rows[] = {
        {"brain/mni_icbm152_t1_2009a.nii.gz", "u8 189 x 233 x 197 (z, y, x)", 333468829, {20, 35, 30}, 0, mni, ""},
        {"brain/mni_icbm152_gm_2009a.nii.gz", "u8 189 x 233 x 197 (z, y, x)", 257090788, {5, 4, 3}, 0, mni, ""},
        {"brain/nibabel_anatomical.nii",
         "i16 25 x 41 x 33 (z, y, x)",
         284166082,
         {10, 21, 20},
         10478,
         {-2, 0, 0, 32, 0, 2, 0, -40, 0, 0, 2, -16, 0, 0, 0, 1},
         "mm"},
        {"brain/nibabel_someones_anatomy.nii.gz",
         "f32 56 x 67 x 57 (z, y, x)",
         9834293.113646,
         {10, 21, 20},
         76.11279532313347,
         {2.75, 0, 0, -78, 0, 2.75, 0, -91, 0, 0, 2.75, -91, 0, 0, 0, 1},
         "mm"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.name));
        const fs::path path = real_data(row.name);
        if (path.empty()) continue;
        const HostArray array = io::read(path);
        CHECK(array.desc.describe() == row.shape);
        CHECK(sum_of(array) == doctest::Approx(row.sum).epsilon(1e-8));
        const auto [z, y, x] = row.zyx;
        CHECK(element(array, (z * array.desc.size('y') + y) * array.desc.size('x') + x) ==
              doctest::Approx(row.value).epsilon(1e-6));
        CHECK(array.metadata.affine.value() == row.affine);
        CHECK(array.desc.unit == row.unit);
        CHECK(array.desc.find('x')->spacing == std::abs(row.affine[0]));
    }
}

TEST_CASE("a series of volumes") {
    const fs::path path = real_data("brain/nibabel_example4d.nii.gz");
    if (path.empty()) return;
    const HostArray all = io::read(path);
    CHECK(all.desc.describe() == "i16 2 x 24 x 96 x 128 (t, z, y, x)");
    CHECK(sum_of(all) == 101985356);
    CHECK(all.desc.find('t')->spacing == 2000);
    const double sums[] = {50994397, 50990959}, values[] = {468, 457};  // at (60, 50, 12)
    for (const std::int64_t v : {0, 1}) {
        const HostArray one = io::read(path, {.volume = v});
        CHECK(one.desc.describe() == "i16 24 x 96 x 128 (z, y, x)");
        CHECK(sum_of(one) == sums[v]);
        CHECK(element(one, (12 * 96 + 50) * 128 + 60) == values[v]);
    }
    // From nibabel, as the file's floats have it.
    const std::array<double, 16> affine = {-2,
                                           6.714715653593746e-19,
                                           9.081024511081715e-18,
                                           117.8551025390625,
                                           -6.714715653593746e-19,
                                           1.9737114906311035,
                                           -0.35552823543548584,
                                           -35.72294235229492,
                                           8.25548088896093e-18,
                                           0.3232076168060303,
                                           2.171081781387329,
                                           -7.248798370361328,
                                           0,
                                           0,
                                           0,
                                           1};
    CHECK(all.metadata.affine.value() == affine);
}

TEST_CASE("the mean of the backgrounds divides the hologram as its authors have it") {
    std::vector<HostArray> backgrounds;
    for (const char* name : {"holo/holopy_bg01.jpg", "holo/holopy_bg02.jpg", "holo/holopy_bg03.jpg"}) {
        const fs::path path = real_data(name);
        if (path.empty()) return;
        backgrounds.push_back(io::read(path));
    }
    const HostArray hologram = io::read(real_data("holo/holopy_image01.jpg"));
    const HostArray mean = io::combine(backgrounds, "mean");
    CHECK(hologram.as<std::uint8_t>()[0] / static_cast<double>(mean.as<float>()[0]) ==
          doctest::Approx(0.9196428571).epsilon(1e-6));
}
