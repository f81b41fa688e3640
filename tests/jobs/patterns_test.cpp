// Patterns are looked for within bounds, and what they cannot look at is no file that is not there.
#include "support.hpp"

#include "job/input_folders.hpp"
#include "job/output_paths.hpp"
#include "job/paths.hpp"
#include "job/pattern.hpp"
#include "parallax/host/error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <system_error>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

TEST_CASE("patterns of a job share one budget of entries, confined or not") {
    const TempFolder folder;
    for (int i = 0; i < 100; ++i) write_text(folder / fmt::format("f{}.npy", i), "");
    for (const bool confined : {false, true}) {
        CAPTURE(confined);
        Locations where;
        where.job_folder = folder.path();
        where.out = folder / "out";
        where.confined = confined;
        const auto budget = std::make_shared<PatternBudget>();
        {
            PatternBudget::Look look(*budget, "");
            for (std::size_t i = 0; i < PatternBudget::most_entries - 1050; ++i) look.count();
        }
        const Confinement confinement(where);
        InputFolders folders(confined ? &confinement : nullptr, budget);
        int found = 0;
        const auto look = [&] {
            return resolve_inputs("*.npy", where, "/inputs/image", confined ? &confinement : nullptr, &folders).size();
        };
        for (; found < 10; ++found) CHECK(look() == 100);
        CHECK_THROWS_AS(look(), ConfigError);
    }
}

TEST_CASE("patterns: what cannot be looked at is an error, and what is not there or leads nowhere is none") {
    for (const std::errc none : {std::errc::no_such_file_or_directory, std::errc::not_a_directory, std::errc::too_many_symbolic_link_levels})
        CHECK_NOTHROW(tell_of_unseen(std::make_error_code(none), "a/b.npy", "a"));
    CHECK_NOTHROW(tell_of_unseen({}, "a/b.npy", "a"));
    for (const std::errc unseen : {std::errc::io_error, std::errc::too_many_files_open, std::errc::not_enough_memory})
        CHECK_THROWS_AS(tell_of_unseen(std::make_error_code(unseen), "a/b.npy", "a"), IoError);
}

TEST_CASE("an output lies at most 64 folders deep") {
    const TempFolder folder;
    Locations where;
    where.job_folder = where.out = folder.path();
    std::string deep;
    for (int i = 0; i < 63; ++i) deep += "a/";
    CHECK_NOTHROW(resolve_output(deep + "b.npy", where, "/outputs/b"));
    CHECK_THROWS_AS(resolve_output(deep + "a/b.npy", where, "/outputs/b"), ConfigError);
}
