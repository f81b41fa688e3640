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
#include <string>
#include <system_error>
#include <vector>

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

TEST_CASE("patterns: a * or ? with a mark stands for itself") {
    struct Row {
        std::string pattern, text;
        bool matches;
    };
    for (const Row& row : {Row{literally("a?*"), "a?*", true}, Row{literally("a?"), "ab", false}, Row{literally("*"), "", false},
                           Row{literally("a?") + "*.tif", "a?1.tif", true}, Row{literally("a?") + "*.tif", "ab1.tif", false},
                           Row{"*" + literally("?") + ".tif", "a?.tif", true}, Row{"*" + literally("*"), "ab*", true},
                           Row{"*" + literally("*"), "ab", false}}) {
        CAPTURE(plain(row.pattern));
        CAPTURE(row.text);
        CHECK(matches(row.pattern, row.text) == row.matches);
    }
    CHECK(plain(literally("a?*b")) == "a?*b");
    CHECK_FALSE(has_wildcard(literally("a?*b")));
    CHECK(has_wildcard(literally("a?") + "?"));
}

#if !defined(_WIN32)
TEST_CASE("patterns: * and ? in the names of the job's folder, of a root and of an item's files stand for themselves") {
    const TempFolder top;
    for (const char* const file : {"run?/in_this.npy", "runA/in_other.npy", "*/in_this.npy", "b/in_other.npy"}) {
        fs::create_directory((top / file).parent_path());
        write_text(top / file, "x");
    }
    for (const bool confined : {false, true}) {
        CAPTURE(confined);
        Locations where;
        where.job_folder = top / "run?";
        where.roots["data"] = top / "*";
        where.confined = confined;
        CHECK(resolve_inputs("*.npy", where, "/i") == std::vector<fs::path>{top / "run?/in_this.npy"});
        if (!confined) CHECK(resolve_inputs("../run?/*.npy", where, "/i").size() == 2);   // the job's own ?
        CHECK(resolve_inputs("data:in_*", where, "/i") == std::vector<fs::path>{top / "*/in_this.npy"});
        CHECK(folder_of_input("*.npy", where) == top / "run?");
        CHECK(folder_of_input("data:in_*", where) == top / "*");
        CHECK(contains(error_of<ConfigError>([&] { resolve_inputs("none*.npy", where, "/i"); }).what(), "run?/none*.npy"));
    }
    // By a variable.
    fs::create_directory(top / "job");
    io::write(top / "job/a?.npy", floats(4, 4, std::vector<float>(16, 1)));
    io::write(top / "job/ab.npy", floats(4, 4, std::vector<float>(16, 101)));
    write_text(top / "job/job.json", R"({"parallax": 1, "for_each": {"f": "*.npy"},
        "inputs": {"image": {"files": ["{f}", "{f.stem}*.npy"], "combine": "mean"}}, "steps": [{"run": "crop", "variant": "reference"}],
        "outputs": {"image": "{f.stem}_mean.npy"}})");
    for (const char* const way : {"--no-sync", "--confined"}) {
        const Run run = run_program({"run", "job.json", "--device", "native", "--out", "../out", "--quiet", "--overwrite", way}, top / "job");
        CHECK_MESSAGE(run.status == 0, run.err);
        CHECK(io::read(top / "out/a?_mean.npy").as<float>()[0] == 1);
        CHECK(io::read(top / "out/ab_mean.npy").as<float>()[0] == 101);
    }
}
#endif
