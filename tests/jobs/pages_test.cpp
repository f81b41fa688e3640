// Pages of a file that are taken one by one.
#include "io/support.hpp"
#include "jobs/support.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("pages: of a TIFF with unlike pages each is taken by its number, and those that are no one array are refused") {
    const TempFolder folder;
    put(folder / "in.tif",
        make_tiff({tiff_picture(4, 1, 8, 1, 8, 4), tiff_picture(2, 1, 8, 1, 12, 2), tiff_picture(2, 1, 8, 1, 14, 2)},
                  "abcdefgh"));
    const auto run = [&](const char* choice) {
        write_text(folder / "job.json",
                   std::string(R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": {"file": "in.tif", )") +
                       choice + R"(}}, "steps": [{"run": "arithmetic", "value": 1}], "outputs": {"image": "out.npy"}})");
        return run_program({"run", "job.json", "--overwrite"}, folder.path());
    };
    struct Row { const char *choice, *values; };
    for (const Row& row :
         {Row{R"("page": 0)", "bcde"}, Row{R"("page": 1)", "fg"}, Row{R"("page": 2)", "hi"}, Row{R"("pages": [1, 3])", "fghi"}}) {
        CAPTURE(row.choice);
        const Run made = run(row.choice);
        CAPTURE(made.err);
        REQUIRE(made.status == 0);
        const HostArray array = io::read(folder / "out.npy");
        CHECK(std::string(array.as<char>(), static_cast<std::size_t>(array.desc.count())) == row.values);
    }
    const Run unlike = run(R"("pages": [0, 2])");
    CHECK(unlike.status == 1);
    CHECK(contains(unlike.err, "its page 1 has 2 x 1 pixels"));
    const Run beyond = run(R"("page": 3)");
    CAPTURE(beyond.err);
    CHECK(beyond.status == 2);
    CHECK(contains(beyond.err, "0 to 2"));
}
