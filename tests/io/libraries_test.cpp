// Files that other libraries wrote: what of them is not read is called what it is. They are kept as their bytes, packed by
// deflate, in base64.
#include <zlib.h>

#include <complex>
#include <string_view>

#include "io/readers/lzf.hpp"
#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

// By SciPy: m (2 x 3 numbers), st (a structure), ce (a cell array), tx (text), sp (sparse), ci (complex); behind them, by hand,
// ob, a table as MATLAB stores an object of one of its classes.
constexpr const char* mat5 =
    "eNrzdQzxcXRSMNUzUPB1DNFNy8xJ1VHITUxJVUjLL1JIVChJLS5RoDJggAFGT18+IJUAxGxAzAGlQYAVymcCYmaQUiDMBdKc"
    "QGwAN+CDPYQWcIAKQGkRKM0BpSUcQPZUINnDhGYPIxwzMRSXgMRZwGpA/EQgDdJvgcedjEiYAepODrg7ZcD2L0DSz4hFP8y+"
    "5FRK7ftgzwcNJ5h+FgL6BYCsCqg/CeljhrqzpAKkj5khMSkZrC8DSR8r1D/I8QjzX3EBQpwBaiaIz4PEZ0LylwBGfEP854Ec"
    "Phy44zM5EzN8UPkM4PhpQDJPEM0t+UkIPihMfJ39g5HdXpKYlJOKJZ3wEgh3NkQY3wURADNYMAg=";

// By h5py, each 4 x 6 numbers in two chunks: lzf (0, 0, 0, 1, 1, 1, 2, ...), and blosc and own, by filters 32001 and 40000.
constexpr const char* hdf5 =
    "eNrtmL1OAkEQx/fjPjaIARMTidXFWFgZS0tMwFCpUQtLBCEmEjBB4kdCr+/gA1jyCBYWPoKlpY9Ah7e3u8BdPBBNiMj/18zN"
    "7OznzW3m5qGQ211MrCaIRAhikTQZpqfJboZ1017Ukmp5r+UTM3YatGW0fUmPH/U7PsznpXcvgplny1IyQ8A8UsjvHEh5onVP"
    "y1cW9qvdVQNZqjWaZV82ruuh+NyecF5KHNWXGn1DSaYMOix9L/Klzv14l54y6tVSVfzbRAR2xtVACyQb6FTvhwXtlDTPW9Vq"
    "rUL622xLO+/vU85n08F3IfQTZ/zGNkOp5bCfnUCYo739HA12peisjPYX5n3x0X5m/d21+Yhned9R/5VE77vlMf06KSWNH4vx"
    "e0mFdRaJS4YrBQAAAABgJkjKfwRKGWOcc/Ie/JckLcuybdtxHNd1ta3euPIuT8sXlTOvdOu1mpPqOGkAAADg7zC9emRG1SPN"
    "PO1BLV8yVGd81rW7SJ2xOJXziKujpcf0e9P1MeMXVw/7QB0NAAAAAAB59C/y6OxjbB4t1mcwj+5+M48WaeTRAAAAAAD/gU/4"
    "V48f";

// By h5py with HDF5 2.0 and libver="latest": scan, chunks packed by gzip, which HDF5 before 2.0 cannot open.
constexpr const char* hdf5_latest =
    "eNrr9HBx4+WS4mLm4GCAgf9QIAMVMoCKl9UdVvL3cAliYqhgEkJWCANcTAyMDAxs/AxAiqU4OTFvM8xIVwbqgDKVuCKwExgZ"
    "GBlFGBiYGBkZ2aByMJqZh4FRAEgzgXkCDKxAVzFzcwNFgaoZQJAFKM4hyACSYWJkZmLm2s8I1buSYegA41cVjm6OHi4MjCJc"
    "TFCx21CPvNn6x8PN0cWJgRHuNWhk8iGZwIdFjClzmj3DKBgFo2AUjILhDirikhMSUhKSwLUAC5CXlpCYkArkGTHwAgAwYjWv";

// By h5py: enumerations of FALSE and TRUE, of 1 and 2, of -1 and 1, and of six, of two bytes and of four in the other order.
constexpr const char* hdf5_named =
    "eNrtWEFOwzAQtJ2kMhVILuKAOOXIkScQiKMeEI0oSByL1FJVQj2QVuoTyk94Cr8KdrybNoEaARVE4LlMs95srMnY3vSpGyd7"
    "7aM20eCc+ESQdeSAcL96jeMDYAq8BH5mGKfF2CHEO1C/nnd9JaXOzmvA55z4ho+Jw39EV0ap5lv0A/ALq+bdP9yNM8XZZDgy"
    "PJ5qnk2ybK4is/njdDRc+fUjP1ESmFyK18bJlJoA2LJkT1Us/M7MLYLjrZwk0UVfFl6/kbhoAhXX44wxarJMfY+qn5XKiMWv"
    "vof+ZS+mxawNQs+ej7vJIrDn4f6wbNnzwnrhDcD3KjrN9PO3fUVWvoog5wxrM5uv/Eb6apvrrK5Hbl1nvJF6/Jzw6nxmlOWU"
    "5lolj5QbalDITAhzp4+Dg4ODg8MfO/4/3Xelpu9qmcZAlA2CeNN3nQPHwBI4WXs6UxV9NYfN/dku9Ge8NvO0IXoMSj10TOzg"
    "WPgFPcq/Uhj0Xj70YRZ9Dvj7H0SnW9HjFZ9rSPs=";

// By h5py: records of two numbers, 1 and 3, and 2 and 4: ri, ir (i first), matlab (imag first, in the other order of bytes),
// short (Re, Im), places (lat, lon), mixed (r, imag).
constexpr const char* hdf5_pairs =
    "eNrtV81OwkAQni2FbDAmRRMxXsSbRw4cvLEmYPCiBD14pGqjTYqYwoGbHPFNeBQfxzfA3e4sKVWayoqYuN9lMrPf7Pzka1heW42z"
    "7eJBEQQoBRsciGOGqO4u+uq8i5agnaCdWipOorN9jJfw/iTvutNsCvYsAVWnaktbAYP/iFbztC3sDfonaN+sRV7oS+uH0vbcYeDe"
    "Agwe++GQ+8+Be+cNeNwfefcx3S7TFYG85BDlSyUTIgOqvLI5GEfUPR6gop+M85Uqh2BjJ2UK5RcxA57ZK+TmeXXRh2VZUaMU+86R"
    "qC0OJ3FLti/r6uKyQaAwzx7l0/nqu58U0nlV1cVOOu8YrVNK51F1Xy6dN5/a+V096+rK19BVuBZdOVq60tmHqOj33IdM+ziqozYY"
    "1LagNuP6CD03iGvmO7nL91GhX8//137BxnU+D4uGgjFL+vV3yWI4DcMs5mTL/+wbGBgYGBgYbBq679COt/o79Ly3jnco29g7VBQO"
    "3OHK+wj6T2vYR3uj+9D6/4tv+p/dR1drHx/M9mhQ";

// By h5py: null (no elements), odd (integers of 24 bits), wide (of 128), text.
constexpr const char* hdf5_others =
    "eNrtls9OwkAQxme2FFcSY/ECerFHjzyCRlAORIx68OifcjASvWDkpkd8Ax+BR+ARPPAAvg12urPS3ZjK0cb5heRjmNk2M/12y1u3fbRR26kBoTVUIII8C2bW"
    "dGObv2JF1gnrVNnfMcvxcqjz9f26i7NOh6oXHvY+rYrRJgj/kW7n4JT0kuM91g/l1j08DYekj0mSxc93yYB0NBiP8j5trXhfhNCsQRvrTFX2AQhSR1KqHu+C"
    "sWgMDQ2NF14fpvWUV0plV9Ds4AB9h1ve//RzOD/ptzHtVHMcB8X19jQZh8V1se1+rbjO7v9Jtdx+Rqh6vjKdIaL1l6NBOknKRJq+Lyfxu7/cQW3xk6Pi3nz9"
    "HuC19PMwHttfcR5xSebx87mD3/2bc2c7nU/E+8zktDcH8OYw1e7OLMe5Q56f6eV/jePDfg9zbWCujri+uXXWf27KO1QQBEEQBEEQBEEQysYXviFZUg==";

// By h5py: groups a and b with hard links to each other (a/z, b/up) and to the root (b/root), and b/d, four bytes.
constexpr const char* hdf5_links =
    "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KOkRR+TD5BCjNCKU7oPQKJpg4IwOIKQEVF4Saj64uJMjVFaT6PxqA2fOAFUKjum4UjBTg4eoYAKIjoHxYejrBhKou"
    "EUonoaVLBzLtxZV+PZgh/AxW4tKvgwiE5hiNytH0CwQKsPKSFVVdFZQuzk8rAdH6SfopyOnYgkR7g/38XUApGJbuFJhR8wV6OoaVrxrsqOoCoPwCzpEZf7jK"
    "AfRwIVQO/BAarcdGywHMcmACWr5KgdKlBRC6KD+/hJJygJGBFaKXEcbXgNBMEAFYNYqLZgamWEZoumVEqslYgTSIz8QEMYgDmkOYGX9A2pTAFiUqaBgkGZqJ"
    "eTQ1joJRMApGwSgYBSMLQPpFzPB+0QsC/RpYuz8BbVwBfRxLgMh+1vAKRya4v2H9HSa0cIMBjtH+JVYAAEIbcCQ=";

/// HDF5 of groups, each in the one before, and nothing else.
std::string nested_groups(std::uint64_t count) {
    constexpr std::uint64_t none = UINT64_MAX, first = 96, each = 960, tree = 40, heap = 584, table = 632;
    Bytes out{"\x89HDF\r\n\x1a\n"};
    out.add_all<std::uint8_t>({0, 0, 0, 0, 0, 8, 8, 0}).add_all<std::uint16_t>({4, 16, 0, 0});
    out.add_all<std::uint64_t>({0, none, first + each * count, none, 0, first, 0, 0, 0});
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = first + each * i;
        out.add_all<std::uint16_t>({1, 1}).add_all<std::uint32_t>({1, 24, 0}).add_all<std::uint16_t>({0x11, 16, 0, 0});
        out.add_all<std::uint64_t>({at + tree, at + heap}).add_text("TREE").add_all<std::uint16_t>({0, i + 1 < count});
        out.add_all<std::uint64_t>({none, none, 0, at + table, 8}).pad_to(at + heap);
        out.add_text("HEAP").add<std::uint32_t>(0).add_all<std::uint64_t>({16, 1, at + heap + 32, 0}).add_text("g");
        out.pad_to(at + table).add_text("SNOD").add_all<std::uint16_t>({1, 1}).add_all<std::uint64_t>({8, at + each});
        out.pad_to(at + each);
    }
    return out.text;
}

// By h5py, each 3 x 2 x 2 numbers in chunks of a plane, the second of which was never written: hole (of u16, filled with 9), nan
// (of floats), never (filled with 9, but H5D_FILL_TIME_NEVER), plain (without a fill value), and none (no chunk at all); flat, 2
// x 2 numbers in one piece, of which none was written.
constexpr const char* hdf5_holes =
    "eNrtm79OwzAQxs9OAFNASlkoXegGYweQutECRUyAgKEjHYpAVAEhhNjoCG+CxAt0ZOzMxCMwMrKBE9uQpEqaqlC14vtJ1snny586jqvv7DzsbG3PZfIZ8hCC"
    "bHIoyKemsxmum/ZjbZm299o+cuNnfltO+7P6/NG4o4Nq1Yv+jGCuU7SVLRD4j+xUK/uerel6SdsOD8edXjQbnnXrrl93GzeNK2kvm/Uzz+NeuH77SbN+HRy3"
    "ceOK0ZSKYaaursws5bB0HI/YeL/jn8r59qn3YUL7ucWZ55/W8TYJ5dc+oe/U4vbtxM+rxwPFZ15GmsaXp8w5UflXnsPh7t4Wo0kq6np7IzlemP61kuPMrNNe"
    "TI4z84hYTo5bMfNLJTnOPPfa6nDHszffMfm4ovOdSHl8OxvuX94j/jkbrseNT46pBgAAAAAAgJHD0w6WVIfTlKEZmpWe1jr5Iq8sS0sWRyqfgixFWcqVaHz3"
    "8QAAAAAY/f//385L5/xTZQtLpJZaCrQgaOFOtwfz06r92W8y+WnjC+SnO3lzaz+5advcf3d+ujRQf8TlU52Ux3d0ftSJ9EscrynzqTaGKgAAAAAAAP9AT/Xa"
    "58PS7vPJrXTrqD/f5zPo/pS3PvenvGN/CgAAAAAAAGOspyaHpKfE97oUhXXT6Vpfuqn2p/0xqJ766FNPyR8IPQUAAAAAAMDY6qmR/Q7dSJmhrk8xeafh/lCr"
    "ZEzJwFidk1pPcqMn1RfnFotTbK2RGB9fhnCxAg==";

// By h5py: whole, 1 to 12 as 3 x 2 x 2 in chunks of a plane.
constexpr const char* hdf5_whole =
    "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KLgii8mHyCVCaEUp3QOkVTDBxRrCcBFRcEGo+urqQIFdXkOr/aABmjwELhOZgGAUjEXi4OgaA6AgoH5ZKTzChqivP"
    "yM9JRUqPHhTay8jACjGLEca3gNDMEAFmqDomNBq3uADYKAG4GMQnrMCUDRJnYmZihKRzBYh6JpYKVkQWY0LCUJBB13gI9vN3AeVoWD5UYB5Nm+QAUHnHCEwN"
    "6OUdseXbDkHU8pCRgPoDaOqZCKg/IYjKx5WemUajchSMglEwCkbBKBgFo2AUjAKaA0Zgy5uZgQXYb2RjYAe26jkZuBi4GXgYACQSQsk=";

std::string unpacked(std::string_view base64) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string packed;
    unsigned bits = 0, count = 0;
    for (const char letter : base64.substr(0, base64.find('='))) {
        bits = bits << 6 | static_cast<unsigned>(letters.find(letter));
        count += 6;
        if (count < 8) continue;
        count -= 8;
        packed += static_cast<char>(bits >> count & 255);
    }
    std::string bytes(1 << 16, '\0');
    uLongf length = bytes.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length, reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())) == Z_OK);
    bytes.resize(length);
    return bytes;
}

io::ReadOptions of(const char* dataset) {
    io::ReadOptions options;
    options.dataset = dataset;
    return options;
}

/// Why one is not read; empty where its reader is not built here.
std::string problem(const fs::path& path, const char* dataset) {
    const IoError error = io_error(path, [&] { io::read(path, of(dataset)); });
    CHECK_FALSE(error.hint.empty());
    return error.hint.find("-dev") == std::string::npos ? error.problem : std::string();
}

}   // namespace

TEST_CASE("libraries: MATLAB's kinds that are no numbers are each called what they are") {
    const Folder folder;
    put(folder / "a.mat", unpacked(mat5));
    if (problem(folder / "a.mat", "st").empty()) {
        MESSAGE("not tried: matio is not built in");
        return;
    }
    CHECK(values_of<double>(io::read(folder / "a.mat", of("m"))) == std::vector<double>{1, 2, 3, 4, 5, 6});
    const std::pair<const char*, const char*> kinds[] = {{"st", "is a structure"},
                                                         {"ce", "is a cell array"},
                                                         {"tx", "is text"},
                                                         {"sp", "is a sparse matrix"},
                                                         {"ob", "one of its objects"}};
    for (const auto& [name, words] : kinds) {
        CAPTURE(std::string(name));
        CHECK(problem(folder / "a.mat", name).find(words) != std::string::npos);
    }
    CHECK(problem(folder / "a.mat", "other").find("has no variable") != std::string::npos);
}

TEST_CASE("libraries: MATLAB keeps things for itself that are no variables") {
    const Folder folder;
    const std::string whole = unpacked(mat5);
    // As behind tables, strings and functions: bytes without a name.
    Bytes own;
    own.add_all<std::uint32_t>({14, 56}).add_all<std::uint32_t>({6, 8, 9, 0}).add_all<std::uint32_t>({5, 8, 1, 2});
    own.add_all<std::uint32_t>({1, 0}).add_all<std::uint32_t>({2, 2}).add_text(std::string("ab\0\0\0\0\0\0", 8));
    Bytes one;
    one.add_all<std::uint32_t>({14, 64}).add_all<std::uint32_t>({6, 8, 9, 0}).add_all<std::uint32_t>({5, 8, 1, 2});
    one.add_all<std::uint32_t>({1, 1})
        .add_text(std::string("m\0\0\0\0\0\0\0", 8))
        .add_all<std::uint32_t>({2, 2})
        .add_text(std::string("cd\0\0\0\0\0\0", 8));
    put(folder / "a.mat", whole.substr(0, 128) + one.text + own.text);
    put(folder / "b.mat", whole.substr(0, 128) + own.text);
    const std::string why = problem(folder / "b.mat", "");
    if (why.empty()) {
        MESSAGE("not tried: matio is not built in");
        return;
    }
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.mat")) == std::vector<std::uint8_t>{'c', 'd'});
    CHECK(why.find("no variable that has a name") != std::string::npos);
}

TEST_CASE("libraries: a compressed variable of MATLAB's is read where its checksum holds, and no other is in its way") {
    const Folder folder;
    const auto variable = [](char name, const char* values, bool damaged) {
        Bytes one;
        one.add_all<std::uint32_t>({14, 64}).add_all<std::uint32_t>({6, 8, 9, 0}).add_all<std::uint32_t>({5, 8, 1, 2});
        one.add_all<std::uint32_t>({1, 1}).add_text(std::string(1, name) + std::string(7, '\0')).add_all<std::uint32_t>({2, 2});
        one.add_text(values + std::string(6, '\0'));
        std::string packed(200, '\0');
        uLongf length = packed.size();
        REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(one.text.data()),
                         static_cast<uLong>(one.text.size())) == Z_OK);
        packed.resize(length);
        if (damaged) packed.back() ^= 1;   // of the checksum
        return Bytes{}.add_all<std::uint32_t>({15, static_cast<std::uint32_t>(length)}).add_text(packed).text;
    };
    const std::string head = unpacked(mat5).substr(0, 128);
    put(folder / "a.mat", head + variable('k', "ab", true) + variable('m', "cd", false));
    const std::string why = problem(folder / "a.mat", "k");
    if (why.empty()) {
        MESSAGE("not tried: matio is not built in");
        return;
    }
    CHECK(why.find("\"k\" is compressed, and its bytes are damaged") != std::string::npos);
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.mat", of("m"))) == std::vector<std::uint8_t>{'c', 'd'});
}

TEST_CASE("libraries: HDF5 begins at the beginning, or behind a block of the user's own, as MATLAB's does") {
    const Folder folder;
    // Addresses in the file are told from where HDF5 begins.
    for (const std::string& words :
         {std::string("MATLAB 7.3 MAT-file"), std::string("MATLAB 7.0 MAT-file, HDF5 schema 0.05"), std::string("mine")}) {
        CAPTURE(words);
        put(folder / "a.mat", words + std::string(512 - words.size(), ' ') + unpacked(hdf5));
        try {
            CHECK(io::read(folder / "a.mat", of("lzf")).desc.count() == 24);
        } catch (const IoError& error) {
            CHECK(error.hint.find("-dev") != std::string::npos);
        }
    }
    for (const std::size_t length : {std::size_t{1024}, std::size_t{2048}, std::size_t{1} << 21}) {   // by the name alone
        CAPTURE(length);
        put(folder / "a.h5", std::string(length, ' ') + unpacked(hdf5));
        try {
            CHECK(io::read(folder / "a.h5", of("lzf")).desc.count() == 24);
        } catch (const IoError& error) {
            CHECK(error.hint.find("-dev") != std::string::npos);
        }
    }
    const std::string matlab = "MATLAB 7.3 MAT-file";
    put(folder / "a.mat", matlab + std::string(2048 - matlab.size(), ' ') + unpacked(hdf5));
    try {
        CHECK(io::read(folder / "a.mat", of("lzf")).desc.count() == 24);
    } catch (const IoError& error) {
        CHECK(error.hint.find("-dev") != std::string::npos);
    }
    put(folder / "b.h5", std::string(5000, ' '));
    CHECK(io_error(folder / "b.h5", [&] { io::info(folder / "b.h5"); }).problem.find("does not begin as one") !=
          std::string::npos);
}

TEST_CASE("libraries: HDF5's filters, those that are there and those that are not") {
    const Folder folder;
    put(folder / "a.h5", unpacked(hdf5));
    if (problem(folder / "a.h5", "blosc").empty()) {
        MESSAGE("not tried: HDF5 is not built in");
        return;
    }
    std::vector<std::uint16_t> thirds;
    for (std::uint16_t i = 0; i < 24; ++i) thirds.push_back(i / 3);
    CHECK(values_of<std::uint16_t>(io::read(folder / "a.h5", of("lzf"))) == thirds);
    CHECK(problem(folder / "a.h5", "blosc").find("packs its dataset /blosc by blosc") != std::string::npos);
    CHECK(problem(folder / "a.h5", "own").find("by filter 40000") != std::string::npos);
}

TEST_CASE("libraries: a dataset that the HDF5 library here is too old for is there all the same") {
    const Folder folder;
    put(folder / "a.h5", unpacked(hdf5_latest));
    for (const char* const dataset : {"", "scan", "/scan"}) {
        try {
            CHECK(io::read(folder / "a.h5", of(dataset)).desc.count() == 6);   // HDF5 2.0
        } catch (const IoError& error) {
            const bool built = error.hint.find("-dev") == std::string::npos;
            if (built) CHECK(error.problem.find("its dataset /scan cannot be opened") != std::string::npos);
            if (built) CHECK(error.hint.find("libver") != std::string::npos);
        }
    }
}

TEST_CASE("libraries: datasets of HDF5 that are not read are called what they are") {
    const Folder folder;
    put(folder / "a.h5", unpacked(hdf5_others));
    const std::string all = problem(folder / "a.h5", "");
    if (all.empty()) {
        MESSAGE("not tried: HDF5 is not built in");
        return;
    }
    CHECK(all == "holds no dataset of numbers that are read, but /null (no elements), /odd (24-bit integers), /text (texts), "
                 "/wide (128-bit integers)");
    CHECK(problem(folder / "a.h5", "null").starts_with("its dataset /null is empty"));
    CHECK(problem(folder / "a.h5", "odd") == "its dataset /odd holds 24-bit integers, which are not read");
}

TEST_CASE("libraries: an object of HDF5 is looked at once, however many groups lead to it, one in the other or in a ring") {
    const Folder folder;
    put(folder / "a.h5", nested_groups(3000));
    const std::string deep = problem(folder / "a.h5", "");
    if (deep.empty()) {
        MESSAGE("not tried: HDF5 is not built in");
        return;
    }
    CHECK(deep == "holds no dataset of numbers that are read");   // and has not taken too long
    put(folder / "b.h5", nested_groups(5000));
    CHECK(problem(folder / "b.h5", "").find("more objects than the 4096 that are looked at") != std::string::npos);
    put(folder / "c.h5", unpacked(hdf5_links));
    CHECK(io::info(folder / "c.h5").detail.find("dataset /b/d") != std::string::npos);
    for (const char* const path : {"", "b/d", "/a/z/up/z/d", "b/root/a/z/d"})
        CHECK(values_of<std::uint8_t>(io::read(folder / "c.h5", of(path))) == std::vector<std::uint8_t>{0, 1, 2, 3});
}

TEST_CASE("libraries: LZF unpacks what is whole, and nothing beyond its room") {
    const auto unpack = [](const std::string& packed, std::size_t room) {
        std::string out(room, '?');
        out.resize(io::readers::unpack_lzf(reinterpret_cast<const unsigned char*>(packed.data()), packed.size(),
                                           reinterpret_cast<unsigned char*>(out.data()), room));
        return out;
    };
    struct Row {
        std::string_view packed;
        std::size_t room;
        std::string_view unpacked;   ///< empty: refused
    };
    using namespace std::string_view_literals;
    for (const Row& row :
         {Row{"\2abc"sv, 3, "abc"},                                                    // three as they are
          Row{"\2abc\x20\2"sv, 6, "abcabc"},                                           // three of those three before
          Row{"\0a\xe0\5\0"sv, 15, "aaaaaaaaaaaaaaa"},                                 // fourteen times the one before
          Row{"\0a\xe0\5\0"sv, 14, ""}, Row{"\2abc"sv, 2, ""},                         // more than there is room for
          Row{"\2ab"sv, 3, ""}, Row{"\2abc\x20"sv, 6, ""}, Row{"\0a\xe0"sv, 15, ""},   // cut off in each of its parts
          Row{"\2abc\x20\3"sv, 6, ""},                                                 // from before the first
          Row{""sv, 5, ""}}) {
        CAPTURE(row.packed.size());
        CAPTURE(row.room);
        CHECK(unpack(std::string(row.packed), row.room) == row.unpacked);
    }
}

TEST_CASE("libraries: enumerations of HDF5 are their numbers, and bool where these are 0 and 1") {
    const Folder folder;
    put(folder / "a.h5", unpacked(hdf5_named));
    if (host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that reads HDF5 is not built");
        return;
    }
    const auto read = [&](const char* name) { return io::read(folder / "a.h5", of(name)); };
    CHECK(read("flags").desc.type == ElementType::boolean);
    CHECK(values_of<std::uint8_t>(read("sides")) == std::vector<std::uint8_t>{1, 2, 1, 2});
    CHECK(values_of<std::int8_t>(read("signs")) == std::vector<std::int8_t>{-1, 1, 1, -1});
    CHECK(values_of<std::uint16_t>(read("tissues")) == std::vector<std::uint16_t>{0, 5, 3, 2});
    CHECK(values_of<std::int32_t>(read("turned")) == std::vector<std::int32_t>{0, 5, 3, 2});
}

TEST_CASE("libraries: two numbers of HDF5 are a complex one by their names, whichever stands first, and records by others") {
    const Folder folder;
    put(folder / "a.h5", unpacked(hdf5_pairs));
    if (host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that reads HDF5 is not built");
        return;
    }
    using C = std::complex<float>;
    using D = std::complex<double>;
    const auto read = [&](const char* name) { return io::read(folder / "a.h5", of(name)); };
    CHECK(values_of<C>(read("ri")) == std::vector<C>{{1, 3}, {2, 4}});
    CHECK(values_of<C>(read("ir")) == std::vector<C>{{3, 1}, {4, 2}});
    CHECK(values_of<D>(read("matlab")) == std::vector<D>{{3, 1}, {4, 2}});
    CHECK(values_of<C>(read("short")) == std::vector<C>{{1, 3}, {2, 4}});
    CHECK(problem(folder / "a.h5", "places").find("records of \"lat\" and \"lon\"") != std::string::npos);
    CHECK(problem(folder / "a.h5", "mixed").find("records of \"r\" and \"imag\"") != std::string::npos);
}

TEST_CASE("libraries: chunks that an HDF5 dataset lacks are told, and such as lie beyond it refused") {
    const Folder folder;
    put(folder / "a.h5", unpacked(hdf5_holes));
    if (host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that reads HDF5 is not built");
        return;
    }
    const auto told = [&](const char* name) { return told_of(io::info(folder / "a.h5", of(name))); };
    for (const auto& [name, fill] : {std::pair<const char*, std::uint16_t>{"hole", 9}, {"never", 0}, {"plain", 0}}) {
        CHECK(told(name) == "1 of its 3 chunks are not there: they are filled with " + std::to_string(fill));
        CHECK(values_of<std::uint16_t>(io::read(folder / "a.h5", of(name))) ==
              std::vector<std::uint16_t>{1, 2, 3, 4, fill, fill, fill, fill, 9, 10, 11, 12});
    }
    CHECK(told("nan") == "1 of its 3 chunks are not there: they are filled with nan");
    for (const char* const name : {"none", "flat"})
        CHECK(problem(folder / "a.h5", name) == std::string("has none of the elements of its dataset /") + name);

    std::string whole = unpacked(hdf5_whole);
    put(folder / "a.h5", whole);
    CHECK(told("whole").empty());
    const std::size_t second = whole.find(std::string("TREE\x01", 5)) + 24 + 48;   // its key: bytes, filters, three places
    REQUIRE(whole[second + 8] == 1);
    for (const std::size_t byte : {8, 11, 16, 19, 24}) {
        CAPTURE(byte);
        std::string damaged = whole;
        damaged[second + byte] = '\x10';
        put(folder / "a.h5", damaged);
        CHECK_FALSE(problem(folder / "a.h5", "whole").empty());
    }
}
