// Nothing that a job writes takes the place of what it reads: the job, the file of --device, and all files of its inputs, however paths to
// them are written.
#include "jobs/ome_set.hpp"
#include "jobs/support.hpp"

#include <map>

using namespace parallax;
using namespace parallax::tests;

namespace {

std::map<std::string, std::string> bytes_below(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).generic_string()] = read_text(entry.path());
    return files;
}

std::string copy_job(const std::string& input, const std::string& output) {
    return R"({"parallax": 1, "inputs": {"image": ")" + input +
           R"("}, "steps": [{"run": "crop", "variant": "reference"}], "outputs": {"image": ")" + output + R"("}})";
}

std::string record_job(const std::string& record) {
    return R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "reduce", "op": "sum", "in": {"array": "image"}}],
        "outputs": {"value": ")" +
           record + R"("}})";
}

/// Inputs of several files each, in a folder of their own.
struct Inputs : TempFolder {
    Inputs() {
        io::write(path() / "a.npy", ramp(8, 8));
        for (std::uint8_t t = 0; t < 3; ++t) write_text(path() / name_in_set(t), pages_with({t, t}, words_of_set(3)));
        const std::string elements(64, 'x');
        write_text(path() / "v.raw", elements);
        write_text(path() / "v.nhdr", "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 8 8\nencoding: raw\ndata file: v.raw\n");
        write_text(path() / "w.npy", elements);
        write_text(path() / "w.mhd",
                   "ObjectType = Image\nNDims = 2\nDimSize = 8 8\nElementType = MET_UCHAR\nElementDataFile = w.npy\n");
        fs::create_hard_link(path() / "w.npy", path() / "other.npy");
        write_text(path() / "rules.json", R"({"backend": "native"})");
    }
    Run run(const std::string& job, const std::vector<std::string>& more) const {
        write_text(path() / "job.json", job);
        std::vector<std::string> words{"run", "job.json", "--out", ".", "--overwrite", "--quiet", "--device", "rules.json"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words, path());
    }
};

}  // namespace

TEST_CASE("kept: no output, report or gallery of a job replaces what it reads, and all of that stays as it is") {
    const Inputs inputs;
    struct Row {
        std::string job;
        std::vector<std::string> more;
        const char* says;
    };
    std::vector<Row> rows{
        {record_job("job.json"), {}, "job.json, which is the job"},
        {record_job("rules.json"), {}, "rules.json, which is the file of --device"},
        {record_job("r.json"), {"--report", "job.json"}, "job.json, which is the job"},
        {record_job("r.json"), {"--report", "rules.json"}, "rules.json, which is the file of --device"},
        {copy_job("t1.ome.tif", "t2.ome.tif"), {}, "t2.ome.tif, which is an input"},
        {copy_job("t1.ome.tif", "o.npy"), {"--report", "t0.ome.tif"}, "t0.ome.tif, which is an input"},
        {copy_job("w.mhd", "w.npy"), {}, "w.npy, which is an input"},
        {copy_job("w.mhd", "other.npy"), {}, "other.npy, which is an input"},
        {copy_job("v.nhdr", "o.npy"), {"--report", "v.raw"}, "v.raw, which is an input"},
        {copy_job("v.nhdr", "o.npy"), {"--report", "v.nhdr"}, "v.nhdr, which is an input"},
    };
#if !defined(_WIN32)
    fs::create_directory_symlink(".", inputs / "same");
    rows.push_back({record_job("same/job.json"), {}, "job.json, which is the job"});
    rows.push_back({copy_job("w.mhd", "same/w.npy"), {}, "w.npy, which is an input"});
#endif
    io::write(inputs / "in.zarr", ramp(8, 8));
    try {
        io::info(inputs / "in.zarr");
        rows.push_back({copy_job("in.zarr", "o.npy"), {"--report", "in.zarr/.zgroup"}, "which lies in the input"});
        rows.push_back({copy_job("in.zarr", "o.npy"), {"--report", "in.zarr/new.json"}, "which lies in the input"});
        rows.push_back({copy_job("in.zarr", "in.zarr/0/new.npy"), {}, "which lies in the input"});
        rows.push_back({copy_job("in.zarr", "in.zarr"), {}, "which is an input"});
    } catch (const IoError&) {
        MESSAGE("stores are skipped: the program that reads Zarr is not here");
    }
    for (const Row& row : rows) {
        CAPTURE(row.job);
        write_text(inputs / "job.json", row.job);
        const auto before = bytes_below(inputs.path());
        const Run refused = inputs.run(row.job, row.more);
        CHECK(refused.status == 2);
        CHECK_MESSAGE(contains(refused.err, row.says), refused.err);
        CHECK((bytes_below(inputs.path()) == before));
    }
    // And what is no input is replaced.
    for (int time = 0; time < 2; ++time) {
        const Run made = inputs.run(copy_job("w.mhd", "o.npy"), {"--report", "r.json"});
        CHECK_MESSAGE(made.status == 0, made.err);
    }
}
