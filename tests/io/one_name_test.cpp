// Names that a file system takes for one: told by what it finds and what it lists, on file systems that are made up here.
#include "io/one_name.hpp"

#include "support.hpp"

#include <algorithm>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A folder "/d" with these names. `folds`: what it finds under any spelling.
io::Look folder_with(std::vector<std::string> names, bool folds) {
    const auto finds = [=](const fs::path& path) {
        if (path == "/" || path == "/d" || (folds && path == "/D")) return true;
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return folds ? io::rough_name(path.filename()) == io::rough_name(name) : path.filename() == name;
        });
    };
    const auto lists = [=](const fs::path& folder) {
        if (folder == "/") return std::vector<fs::path>{"/d", "/tmp"};
        std::vector<fs::path> entries;
        for (const std::string& name : names) entries.push_back(folder / name);
        return entries;
    };
    return {finds, lists};
}

}  // namespace

TEST_CASE("one name: two spellings are one where both are found and the folder does not list both") {
    const io::Look folding = folder_with({"v1.npy", "other.npy"}, true), exact = folder_with({"v1.npy", "other.npy"}, false),
                   both = folder_with({"v1.npy", "V1.NPY"}, false);
    CHECK(io::are_one_place("/d/v1.npy", "/d/v1.npy", exact));
    CHECK(io::are_one_place("/d/v1.npy", "/d/V1.NPY", folding));
    CHECK(io::are_one_place("/d/V1.npy", "/d/V1.NPY", folding));   // neither is how it is listed
    CHECK(io::are_one_place("/d/v1.npy", "/D/V1.NPY", folding));
    CHECK(io::are_one_place("/d/v1.npy", "/D/v1.npy", folding));
    CHECK_FALSE(io::are_one_place("/d/new.npy", "/d/NEW.NPY", folding));   // nothing to be told of it
    CHECK_FALSE(io::are_one_place("/d/v1.npy", "/d/other.npy", folding));
    CHECK_FALSE(io::are_one_place("/d/v1.npy", "/d/v1.npy/x", folding));
    CHECK_FALSE(io::are_one_place("/d/v1.npy", "/d/V1.NPY", exact));
    CHECK_FALSE(io::are_one_place("/d/v1.npy", "/d/V1.NPY", both));
    CHECK(io::lies_in("/D/V1.NPY/0/0", "/d/v1.npy", folding));
    CHECK_FALSE(io::lies_in("/d/v1.npy", "/d/V1.NPY", folding));
    CHECK_FALSE(io::lies_in("/D/V1.NPY/0/0", "/d/v1.npy", exact));
}

TEST_CASE("one name: of names that are not alike nothing is asked") {
    int asked = 0;
    const io::Look look{[&](const fs::path&) { return ++asked > 0; },
                        [&](const fs::path&) { return ++asked, std::vector<fs::path>(); }};
    CHECK_FALSE(io::are_one_place("/d/a.npy", "/d/b.npy", look));
    CHECK_FALSE(io::are_one_place("/c/a.npy", "/d/A.npy", look));
    CHECK(asked == 0);
    CHECK(io::rough_name("/D/\xc3\xa9.NPY") == io::rough_name("/d/e\xcc\x81.npy"));
    CHECK(io::rough_name("\xe6\x97\xa5.npy") != io::rough_name("\xe6\x9c\xac.npy"));   // of Chinese no letter is small
}

TEST_CASE("one name: places are found under any spelling, and thousands whose rough name is one take no time") {
    std::vector<std::string> names;
    for (int i = 0; i < 3000; ++i)   // letters of Cyrillic alone
        names.push_back({'\xd0', static_cast<char>(0xb0 + i % 16), '\xd0', static_cast<char>(0xb0 + i / 16 % 16), '\xd1',
                         static_cast<char>(0x80 + i / 256)});
    int asked = 0;
    const io::Look exact = folder_with(names, false);
    io::AlikePlaces places({[&](const fs::path& path) { return ++asked, exact.finds(path); },
                            [&](const fs::path& folder) { return ++asked, exact.lists(folder); }});
    for (std::size_t i = 0; i < names.size(); ++i)
        if (i % 2 == 0) places.add(fs::path("/d") / names[i], names[i]);
    for (std::size_t i = 0; i < names.size(); ++i) CHECK((places.find(fs::path("/d") / names[i]) != nullptr) == (i % 2 == 0));
    CHECK(asked < 10);

    asked = 0;
    const io::Look another = folder_with({"other.npy"}, false);
    io::AlikePlaces absent({[&](const fs::path& path) { return ++asked, another.finds(path); },
                            [&](const fs::path& folder) { return ++asked, another.lists(folder); }});
    for (const std::string& name : names) {
        CHECK(absent.find(fs::path("/d") / name) == nullptr);
        absent.add(fs::path("/d") / name, name);
    }
    for (const std::string& name : names) CHECK(*absent.find(fs::path("/d") / name) == name);
    CHECK(asked < 10 * 3000);

    io::AlikePlaces folded(folder_with({"v1.npy", "V2.NPY", "other.npy"}, true));
    folded.add("/d/v1.npy", "as listed");
    folded.add("/D/v2.npy", "otherwise");
    for (const char* const spelling : {"/d/v1.npy", "/d/V1.npy", "/D/V1.NPY"}) {
        REQUIRE(folded.find(spelling) != nullptr);
        CHECK(*folded.find(spelling) == "as listed");
    }
    for (const char* const spelling : {"/d/V2.NPY", "/d/v2.npy", "/D/V2.npy"}) {
        REQUIRE(folded.find(spelling) != nullptr);
        CHECK(*folded.find(spelling) == "otherwise");
    }
    CHECK(folded.find("/d/other.npy") == nullptr);
    CHECK(folded.find("/d/v3.npy") == nullptr);
}

TEST_CASE("one name: two files that are there, and known places") {
    const Folder folder;
    put(folder / "v1.npy", "a");
    CHECK(io::lead_to_one(folder / "v1.npy", folder / "./v1.npy"));
    io::AlikePlaces places;
    places.add(folder / "v1.npy", "v1.npy");
    places.add(folder / "s.zarr/0/0", "s.zarr/0/0");
    REQUIRE(places.find(folder / "v1.npy") != nullptr);
    CHECK(*places.find(folder / "v1.npy") == "v1.npy");
    CHECK(places.find(folder / "v2.npy") == nullptr);
    REQUIRE(places.inside(folder / "s.zarr") != nullptr);
    CHECK(places.inside(folder / "s.zarr/0/0") == nullptr);
    CHECK(places.inside(folder / "s") == nullptr);
    if (fs::exists(folder / "V1.NPY")) {
        MESSAGE("skipped: this file system takes two names for one");
        return;
    }
    put(folder / "V1.NPY", "b");
    CHECK_FALSE(io::lead_to_one(folder / "v1.npy", folder / "V1.NPY"));
    CHECK(places.find(folder / "V1.NPY") == nullptr);
}
