// MATLAB's files of version 5: a variable has the bytes that its dimensions say, or is refused.
#include <zlib.h>

#include <cmath>
#include <complex>
#include <functional>

#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A data element: behind its tag, or in it.
struct Data {
    std::uint32_t type = 9;   ///< of f64
    std::string bytes;
    std::optional<std::uint32_t> says;   ///< how long it is, where it says otherwise
    bool small = false;
};

/// A file of one variable, a; of 2 x 3 f64 where nothing else is said.
struct Mat {
    bool big = false, packed = false;
    std::uint32_t kind = 6;
    std::vector<std::uint32_t> dims{2, 3};
    std::optional<std::uint32_t> flags;
    std::vector<Data> parts;
    std::string behind;

    std::string bytes() const {
        Bytes inside{{}, big};
        inside.add_all<std::uint32_t>({6, 8, flags.value_or(kind | (parts.size() > 1 ? 0x800 : 0)), 0});
        inside.add<std::uint32_t>(5).add(static_cast<std::uint32_t>(4 * dims.size()));
        for (const std::uint32_t d : dims) inside.add(d);
        inside.pad_to((inside.text.size() + 7) / 8 * 8);
        inside.add<std::uint32_t>(0x10001).add_text(std::string("a\0\0\0", 4));
        for (const Data& data : parts) {
            const std::uint32_t length = data.says.value_or(static_cast<std::uint32_t>(data.bytes.size()));
            if (data.small)
                inside.add(length << 16 | data.type);
            else
                inside.add(data.type).add(length);
            inside.add_text(data.bytes).pad_to((inside.text.size() + 7) / 8 * 8);
        }
        inside.add_text(behind);
        Bytes file{{}, big};
        file.add_text("MATLAB 5.0 MAT-file").pad_to(124).add<std::uint16_t>(0x100).add<std::uint16_t>(0x4d49);
        Bytes variable{{}, big};
        variable.add<std::uint32_t>(14).add(static_cast<std::uint32_t>(inside.text.size())).add_text(inside.text);
        if (!packed) return file.text + variable.text;
        uLongf length = compressBound(static_cast<uLong>(variable.text.size()));
        std::string deflated(length, '\0');
        REQUIRE(compress(reinterpret_cast<Bytef*>(deflated.data()), &length, reinterpret_cast<const Bytef*>(variable.text.data()),
                         static_cast<uLong>(variable.text.size())) == Z_OK);
        deflated.resize(length);
        file.add<std::uint32_t>(15).add(static_cast<std::uint32_t>(length));
        return file.text + deflated;
    }
};

template <class T>
std::string raw(bool big, std::initializer_list<T> values) {
    return Bytes{{}, big}.add_all(values).text;
}
std::string real_part(bool big = false) { return raw<double>(big, {1, 4, 2, 5, 3, 6}); }
std::string imaginary_part(bool big = false) { return raw<double>(big, {-1, -4, -2, -5, -3, -6}); }

bool is_built() {
    const bool built = !host::program_beside("parallax-read-mat").empty();
    if (!built) MESSAGE("skipped: the program that reads MATLAB's files is not built");
    return built;
}

/// What is wrong with it; empty where it is read, which must be rightly: 1 to 6, and the same with a minus as imaginary parts.
std::string problem(const fs::path& path, const std::string& bytes, bool complex) {
    using C = std::complex<double>;
    put(path, bytes);
    try {
        if (complex)
            CHECK(values_of<C>(io::read(path)) == std::vector<C>{{1, -1}, {2, -2}, {3, -3}, {4, -4}, {5, -5}, {6, -6}});
        else
            CHECK(values_of<double>(io::read(path)) == std::vector<double>{1, 2, 3, 4, 5, 6});
    } catch (const IoError& error) {
        CHECK_FALSE(error.hint.empty());
        return error.problem;
    }
    return "";
}

}   // namespace

TEST_CASE("mat: a variable that has other bytes than its dimensions say, or of no known type, is refused") {
    if (!is_built()) return;
    const Folder folder;
    struct Row {
        const char* words;   ///< nullptr: it is read
        bool complex;
        std::function<void(Mat&)> change;
    };
    const Row rows[] = {
        {nullptr, false, [](Mat&) {}},
        {nullptr, true, [](Mat&) {}},
        {"has 8 bytes of values where its 6 elements take 48", false, [](Mat& m) { m.parts[0].bytes.resize(8); }},
        {"has 40 bytes of values where its 6 elements take 48", false, [](Mat& m) { m.parts[0].says = 40; }},
        {"has 0 bytes of values", false, [](Mat& m) { m.parts[0].bytes.clear(); }},
        {"has 96 bytes of values", false, [](Mat& m) { m.parts[0].says = 96; }},
        {"has 48 bytes where 4 find room", false, [](Mat& m) { m.parts[0].small = true; }},
        {"before its 48 bytes of values", false, [](Mat& m) { m.parts[0].says = 48, m.parts[0].bytes.resize(24); }},
        {"of the type 77", false, [](Mat& m) { m.parts[0].type = 77; }},
        {"of the type 16", false,
         [](Mat& m) {
             m.parts[0] = {16, "abcdef", {}, false};
         }},
        {"of the type 265", false, [](Mat& m) { m.parts[0].type = 256 + 9; }},
        {"has 8 bytes of real parts", true, [](Mat& m) { m.parts[0].bytes.resize(8); }},
        {"has 8 bytes of imaginary parts", true, [](Mat& m) { m.parts[1].bytes.resize(8); }},
        {"imaginary parts of the type 77", true, [](Mat& m) { m.parts[1].type = 77; }},
        {"ends before its", true, [](Mat& m) { m.parts.pop_back(), m.flags = 0x806; }},
        {"before its 48 bytes of imaginary parts", true, [](Mat& m) { m.parts[1].says = 48, m.parts[1].bytes.resize(16); }},
        {"56 bytes behind its elements", false, [](Mat& m) { m.parts.push_back(m.parts[0]), m.flags = 6; }},
    };
    for (const Row& row : rows) {
        for (const bool big : {false, true}) {
            for (const bool packed : {false, true}) {
                CAPTURE(std::string(row.words ? row.words : "read"));
                CAPTURE(big);
                CAPTURE(packed);
                Mat mat;
                mat.big = big, mat.packed = packed;
                mat.parts = {{9, real_part(big), {}, false}};
                if (row.complex) mat.parts.push_back({9, imaginary_part(big), {}, false});
                row.change(mat);
                const std::string why = problem(folder / "a.mat", mat.bytes(), row.complex);
                CAPTURE(why);
                CHECK((row.words ? why.find(row.words) != std::string::npos : why.empty()));
            }
        }
    }
}

TEST_CASE("mat: numbers are stored in fewer bytes than they have, few of them in the tag itself") {
    if (!is_built()) return;
    const Folder folder;
    for (const bool big : {false, true}) {
        for (const bool packed : {false, true}) {
            Mat mat;
            mat.big = big, mat.packed = packed;
            mat.parts = {{3, raw<std::int16_t>(big, {1, 4, 2, 5, 3, 6}), {}, false}};
            CHECK(problem(folder / "a.mat", mat.bytes(), false).empty());
            using C = std::complex<double>;
            mat.dims = {1, 3};
            mat.parts = {{2, "\1\2\3", {}, true}, {1, "\4\5\xff", {}, true}};
            put(folder / "a.mat", mat.bytes());
            CHECK(values_of<C>(io::read(folder / "a.mat")) == std::vector<C>{{1, 4}, {2, 5}, {3, -1}});
        }
    }
}

TEST_CASE("mat: of a cell array the name and the dimensions are listed, whatever it holds, and of texts and structures") {
    if (!is_built()) return;
    const Folder folder;
    const fs::path path = folder / "a.mat";
    for (const bool big : {false, true}) {
        for (const bool packed : {false, true}) {
            CAPTURE(big);
            CAPTURE(packed);
            Mat numbers, cells, empty;
            numbers.big = cells.big = empty.big = big, numbers.packed = cells.packed = empty.packed = packed;
            numbers.parts = {{9, real_part(big), {}, false}};
            cells.kind = 1, cells.parts = {{77, "no cell at all", {}, false}};   // which nobody looks into
            const std::string head = numbers.bytes().substr(0, 128), one = numbers.bytes().substr(128);
            const std::string other = cells.bytes().substr(128);
            put(path, head + other + one);
            // The name of both is a.
            const auto why = [&] { return io_error(path, [&] { io::info(path); }).problem; };
            CHECK(why().find("a (a cell array 2 x 3), a (f64 2 x 3)") != std::string::npos);
            put(path, head + other);
            CHECK(why() == "holds no variable of numbers that can be read: the variable a (a cell array 2 x 3)");
            empty.dims.assign(65, 1), empty.parts = numbers.parts;
            put(path, empty.bytes());
            CHECK(why().find("does not tell its dimensions") != std::string::npos);
        }
    }
}

TEST_CASE("mat: numbers that are stored in another type are held against that of their class") {
    if (!is_built()) return;
    const Folder folder;
    const fs::path path = folder / "a.mat";
    for (const bool big : {false, true}) {
        for (const bool packed : {false, true}) {
            Mat mat;
            mat.big = big, mat.packed = packed, mat.kind = 8, mat.dims = {1, 3};   // i8
            for (const Data& data : {Data{5, raw<std::int32_t>(big, {-128, 0, 127}), {}, false},
                                     Data{9, raw<double>(big, {-128, 0, 127}), {}, false},
                                     Data{13, raw<std::uint64_t>(big, {1, 2, 127}), {}, false}}) {
                mat.parts = {data};
                put(path, mat.bytes());
                CHECK(values_of<std::int8_t>(io::read(path)).back() == 127);
            }
            for (const Data& data : {Data{5, raw<std::int32_t>(big, {-129, 0, 127}), {}, false},
                                     Data{9, raw<double>(big, {1, 2, 128}), {}, false},
                                     Data{9, raw<double>(big, {1, std::nan(""), 128}), {}, false},
                                     Data{9, raw<double>(big, {1, 2.5, 3}), {}, false},
                                     Data{13, raw<std::uint64_t>(big, {1, 2, UINT64_MAX}), {}, false}}) {
                mat.parts = {data};
                put(path, mat.bytes());
                CHECK(io_error(path, [&] { io::read(path); }).problem.find("no number of its class") != std::string::npos);
            }
            mat.kind = 7;   // f32
            mat.parts = {{9, raw<double>(big, {.1, -HUGE_VAL, 3e38}), {}, false}};
            put(path, mat.bytes());
            CHECK(values_of<float>(io::read(path)) == std::vector<float>{.1f, -HUGE_VALF, 3e38f});
            mat.parts = {{9, raw<double>(big, {.1, 1, 1e300}), {}, false}};
            put(path, mat.bytes());
            CHECK(io_error(path, [&] { io::read(path); }).problem.find("no number of its class") != std::string::npos);
            mat.kind = 6;   // f64
            for (const std::int64_t last : {std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1, INT64_MAX, INT64_MIN}) {
                CAPTURE(last);
                mat.parts = {{12, raw<std::int64_t>(big, {1, 2, last}), {}, false}};
                put(path, mat.bytes());
                if (last == std::int64_t{1} << 53 || last == INT64_MIN) CHECK(values_of<double>(io::read(path)).back() == static_cast<double>(last));
                else CHECK(io_error(path, [&] { io::read(path); }).problem.find("no number of its class") != std::string::npos);
            }
        }
    }
}

TEST_CASE("mat: last axes of one index are left out, however many the file has") {
    if (!is_built()) return;
    const Folder folder;
    for (const std::vector<std::uint32_t>& dims :
         std::vector<std::vector<std::uint32_t>>{{2, 3, 1}, {2, 3, 1, 1}, {2, 3, 1, 1, 1, 1, 1}}) {
        Mat mat;
        mat.dims = dims, mat.parts = {{9, real_part(), {}, false}};
        CHECK(problem(folder / "a.mat", mat.bytes(), false).empty());
        CHECK(io::read(folder / "a.mat").desc.axes.size() == 2);
        mat.packed = true;
        CHECK(problem(folder / "a.mat", mat.bytes(), false).empty());
    }
}

TEST_CASE("mat: a file that is cut off anywhere is refused, by what it says of itself already") {
    if (!is_built()) return;
    const Folder folder;
    const fs::path path = folder / "a.mat";
    for (const bool complex : {false, true}) {
        for (const bool packed : {false, true}) {
            CAPTURE(complex);
            CAPTURE(packed);
            Mat mat;
            mat.packed = packed;
            mat.parts = {{9, real_part(), {}, false}};
            if (complex) mat.parts.push_back({9, imaginary_part(), {}, false});
            const std::string whole = mat.bytes();
            REQUIRE(problem(path, whole, complex).empty());
            for (std::size_t cut = 100; cut < whole.size(); cut += cut + 20 < whole.size() ? 3 : 1) {
                CAPTURE(cut);
                put(path, whole.substr(0, cut));
                io_error(path, [&] { io::info(path); });
                if (cut % 2 == 0) io_error(path, [&] { io::read(path); });
            }
            // So is one whose second variable is cut off, whichever is wanted.
            for (std::size_t cut = 129; cut < whole.size(); cut += 11) {
                CAPTURE(cut);
                put(path, whole + whole.substr(128, cut - 128));
                io_error(path, [&] { io::read(path, {.dataset = "a"}); });
            }
            // Something that is no variable, and one that does not unpack.
            put(path, whole + raw<std::uint32_t>(false, {7, 0}));
            CHECK(io_error(path, [&] { io::read(path); }).problem.find("of the type 7 where") != std::string::npos);
            put(path, whole + raw<std::uint32_t>(false, {15, 4, 0}));
            CHECK(io_error(path, [&] { io::read(path); }).problem.find("its variable 2 (in the order of the file) is") == 0);
        }
    }
}

TEST_CASE("mat: of several variables of one name none is taken, of version 4 and of version 5") {
    if (!is_built()) return;
    const Folder folder;
    const fs::path path = folder / "a.mat";
    const auto problem = [&](const std::string& bytes, const char* dataset) {
        put(path, bytes);
        const IoError error = io_error(path, [&] { io::info(path, {.dataset = dataset}); });
        CHECK_FALSE(error.hint.empty());
        return error.problem;
    };
    const auto four = [](const char* name, std::int32_t columns) {
        Bytes file;
        file.add_all<std::int32_t>({0, 1, columns, 0, 2}).add_text(name).add<std::uint8_t>(0);
        for (std::int32_t i = 0; i < columns; ++i) file.add<double>(i);
        return file.text;
    };
    const char* const two = "has several variables of one name: v (f64 1 x 2), v (f64 1 x 3), of which programs take one or another";
    for (const char* const dataset : {"", "v"}) CHECK(problem(four("v", 2) + four("v", 3), dataset) == two);
    CHECK(problem(four("v", 2) + four("w", 1) + four("v", 3), "v") == two);
    CHECK(problem(four("v", 2) + four("w", 1) + four("v", 3), "").find("holds 3 variables of numbers") == 0);
    CHECK(values_of<double>(io::read(path, {.dataset = "w"})) == std::vector<double>{0});
    for (const bool packed : {false, true}) {
        Mat mat, text;
        mat.packed = text.packed = packed;
        mat.parts = {{9, real_part(), {}, false}};
        text.kind = 4, text.parts = {{4, raw<std::uint16_t>(false, {65, 66, 67, 68, 69, 70}), {}, false}};
        const std::string numbers = mat.bytes().substr(128), letters = text.bytes().substr(128), head = mat.bytes().substr(0, 128);
        for (const char* const dataset : {"", "a"}) {
            CHECK(problem(head + numbers + numbers, dataset).find("of one name: a (f64 2 x 3), a (f64 2 x 3), of which") != std::string::npos);
            CHECK(problem(head + numbers + letters, dataset).find("of one name: a (f64 2 x 3), a (text 2 x 3), of which") != std::string::npos);
            CHECK(problem(head + letters + numbers, dataset).find("of one name: a (text 2 x 3), a (f64 2 x 3), of which") != std::string::npos);
        }
        CHECK(problem(head + letters, "a").find("is text, which is not read") != std::string::npos);
    }
}

TEST_CASE("mat: a variable behind those that are looked at is not called one that is not there") {
    if (!is_built()) return;
    const Folder folder;
    const fs::path path = folder / "a.mat";
    Mat mat;
    mat.parts.resize(1);
    mat.parts[0].bytes = real_part();
    const std::string whole = mat.bytes(), variable = whole.substr(128);
    const auto problem = [&](std::size_t count) {
        std::string bytes = whole;
        for (std::size_t i = 1; i < count; ++i) bytes += variable;
        put(path, bytes);
        return io_error(path, [&] { io::read(path, {.dataset = "b"}); }).problem;
    };
    CHECK(problem(3) == "has no variable \"b\"");
    CHECK(problem(4100) == "has no variable \"b\" among its first 4096, and no more are looked at");
}

TEST_CASE("mat: an empty variable is refused, of version 7.3 too, where its sizes stand in place of elements") {
    const std::string maker = host::program_beside("make_elsewhere");
    if (maker.empty() || host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: HDF5 was not found");
        return;
    }
    const Folder folder;
    REQUIRE(std::system(("'" + maker + "' '" + folder.path().string() + "' '" + (folder / "s").string() + "'").c_str()) == 0);
    const IoError error = io_error(folder / "empty.h5", [&] { io::info(folder / "empty.h5"); });
    CHECK(error.problem.find("/v is empty: 0 x 5") != std::string::npos);
}
