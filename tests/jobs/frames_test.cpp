// Frames through a pipe beside files: the same bytes, and the same words about them, mean the same.
#include "jobs/support.hpp"

#include "parallax/host/json.hpp"

namespace parallax::tests {
namespace {

/// The program with the file "in" as its standard input, whose output goes to the file "out".
Run run_piped(const std::string& command, const TempFolder& folder) {
    return run_program({command, "job.json"}, folder.path(), {}, folder / "out", {"sh", "-c", "exec \"$0\" \"$@\" < in"});
}

Json job_of(const char* file, const Json& layout, const char* output) {
    return {{"parallax", 1},
            {"device", {{"backend", "native"}}},
            {"inputs", {{"image", {{"file", file}, {"raw", layout}}}}},
            {"steps", {{{"run", "crop"}, {"out", {{"image", "cut"}}}}}},
            {"outputs", {{"cut", output}}}};
}

}   // namespace

TEST_CASE("frames: any byte of a raw bool is true, as in a file") {
    const TempFolder folder;
    const std::string bytes("\0\1\2\xff", 4), whole("\0\1\1\1", 4);
    const Json layout{{"type", "bool"}, {"axes", "yx"}, {"shape", {1, 4}}};
    write_text(folder / "in", bytes + bytes);
    write_text(folder / "job.json", job_of("-", layout, "-").dump());
    const Run piped = run_piped("run", folder);
    CAPTURE(piped.err);
    CHECK(piped.status == 0);
    CHECK((read_text(folder / "out") == whole + whole));
    write_text(folder / "file", bytes);
    write_text(folder / "job.json", job_of("file", layout, "cut.npy").dump());
    const Run filed = run_program({"run", "job.json"}, folder.path());
    CAPTURE(filed.err);
    CHECK(filed.status == 0);
    const std::string npy = read_text(folder / "cut.npy");
    CHECK((npy.substr(npy.size() - whole.size()) == whole));
}

TEST_CASE("frames: the spacing that is stated of them is looked at as that of files is") {
    const TempFolder folder;
    write_text(folder / "in", "abcdabcd");
    const auto run = [&](const char* command, const char* axes, const Json& shape, const Json& spacing) {
        Json job = job_of("-", {{"type", "u8"}, {"axes", axes}, {"shape", shape}}, "-");
        job["inputs"]["image"]["spacing_um"] = spacing;
        write_text(folder / "job.json", job.dump());
        return run_piped(command, folder);
    };
    for (const char* const command : {"plan", "run"}) {
        CAPTURE(command);
        const Run three = run(command, "yx", {2, 2}, {1, 2, 3});
        CAPTURE(three.err);
        CHECK(three.status == 2);
        CHECK(contains(three.err, "three numbers, x, y and z, for u8 2 x 2 (y, x), which has no axis z"));
        CHECK(run(command, "yx", {2, 2}, {1, 2}).status == 0);
        const Run slices = run(command, "zyx", {2, 1, 2}, {1, 2});
        CAPTURE(slices.err);
        CHECK(slices.status == 0);
        // A plan has its warnings on standard output, where frames would be.
        CHECK(contains(slices.err + read_text(folder / "out"), "[x, y, z] states it"));
        const Run stated = run(command, "zyx", {2, 1, 2}, {1, 2, 3});
        CHECK_FALSE(contains(stated.err + read_text(folder / "out"), "states it"));
    }
}

}   // namespace parallax::tests
