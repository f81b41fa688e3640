// What is made for a while is of its user alone, and goes.
#include "support/temporary_folder.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#if !defined(_WIN32)
#include <sys/stat.h>

#include <random>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

/// Sets the process's mask, and puts back what was there.
class Umask {
public:
    explicit Umask(mode_t mask) : before_(umask(mask)) {}
    ~Umask() { umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

private:
    mode_t before_;
};

}  // namespace

TEST_CASE("folders of a user's own are open to nobody else, whatever the umask, and nobody else may write into those above that are made with them") {
    const tests::TemporaryFolder folder;
    std::random_device random;
    for (int draw = 0; draw < 64; ++draw) {
        const mode_t mask = draw == 0 ? 0 : draw == 1 ? 0777 : random() % 01000;
        CAPTURE(mask);
        const fs::path top = folder.path() / std::to_string(draw), inner = top / "a" / "b";
        std::error_code problem;
        {
            const Umask set(mask);
            CHECK(host::platform::create_private_folders(draw % 2 == 0 ? inner : inner / "", problem));
        }
        CHECK(!problem);
        CHECK(fs::status(inner).permissions() == fs::perms::owner_all);
        for (const fs::path& made : {top, top / "a"}) {
            const fs::perms rights = fs::status(made).permissions();
            CHECK((rights & fs::perms::owner_all) == fs::perms::owner_all);
            CHECK((rights & (fs::perms::group_write | fs::perms::others_write)) == fs::perms::none);
        }
        CHECK(!host::platform::create_private_folders(inner, problem));
        CHECK(!problem);
        std::ofstream(top / "file") << "no folder";
        CHECK(!host::platform::create_private_folders(top / "file" / "below", problem));
        CHECK(problem);
    }
}

TEST_CASE("a temporary folder is of its user alone and goes with its object, and the next one takes away what was left") {
    const tests::TemporaryFolder place;
    const tests::ScopedVariable where("TMPDIR", place.path().string());
    const Umask all(0);
    const fs::path left = place.path() / "parallax-try-4711-0-01234567", others = place.path() / "parallax-try-of-mine",
                   nameless = place.path() / "parallax-try-";
    fs::create_directories(left / "inner");
    fs::create_directories(others);
    fs::create_directories(nameless);
    fs::path path;
    {
        const host::TemporaryFolder one("try");
        path = one.path();
        CHECK(fs::status(path).permissions() == fs::perms::owner_all);
        CHECK(!fs::exists(left));
        std::ofstream(path / "file") << "1";
        const host::TemporaryFolder another("try"), third("something");
        CHECK(another.path() != path);
        CHECK(fs::exists(path / "file"));   // which is in use
    }
    CHECK(!fs::exists(path));
    CHECK(fs::exists(others));
    CHECK(fs::exists(nameless));
}

TEST_CASE("without a place for temporary files there is no such folder, and that is told") {
    const tests::TemporaryFolder place;
    const tests::ScopedVariable where("TMPDIR", (place.path() / "nowhere").string());
    CHECK_THROWS_AS(host::TemporaryFolder("try"), fs::filesystem_error);
}

#endif
