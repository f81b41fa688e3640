// On a file system that takes two spellings for one name and gives each a number (inode) of its own, nothing replaces what the
// job reads or writes besides: exFAT by FUSE, where it can be mounted.
#include "jobs/support.hpp"

#include <cstdlib>

using namespace parallax;
using namespace parallax::tests;

namespace {

bool does(const std::string& command) { return std::system(("( " + command + " ) >/dev/null 2>&1").c_str()) == 0; }

/// A mounted folder, as long as it lives; nothing is mounted where the system has no such thing, or not for this user.
class ExFat {
public:
    ExFat() {
        const std::string image = (top_ / "image").string(), device = (top_ / "device").string();
        fs::create_directory(folder());
        mounted_ = does("test -c /dev/fuse && truncate -s 16M " + image + " && mkfs.exfat " + image + " && losetup -f --show " +
                        image + " > " + device + ".name") &&
                   does("mount.exfat-fuse $(cat " + device + ".name) " + folder().string());
    }
    ~ExFat() {
        if (mounted_) does("umount " + folder().string());
        does("losetup -d $(cat " + (top_ / "device.name").string() + ")");
    }
    ExFat(const ExFat&) = delete;
    ExFat& operator=(const ExFat&) = delete;
    bool is_mounted() const noexcept { return mounted_; }
    fs::path folder() const { return top_ / "mounted"; }

private:
    TempFolder top_;
    bool mounted_ = false;
};

std::string job_with(const std::string& output) {
    return R"({"parallax": 1, "inputs": {"image": "v1.npy"}, "steps": [{"run": "crop", "x": [0, 4], "variant": "reference"}],
        "outputs": )" + output + "}";
}

}  // namespace

TEST_CASE("one name: on exFAT neither an output nor a report replaces an input, the job or an output by another spelling") {
    const ExFat disk;
    if (!disk.is_mounted()) {
        MESSAGE("skipped: mkfs.exfat, mount.exfat-fuse and the right to mount are not here");
        return;
    }
    const fs::path folder = disk.folder();
    io::write(folder / "v1.npy", ramp(9, 7));
    io::write(folder / "v2.npy", ramp(9, 7));
    write_text(folder / "job.json", job_with(R"({"image": "out.npy"})"));
    write_text(folder / "over.json", job_with(R"({"image": "V1.NPY"})"));
    write_text(folder / "two.json", job_with(R"({"a": {"of": "image", "file": "new.npy"},
        "b": {"of": "image", "file": "NEW.npy"}})"));
    write_text(folder / "series.json", R"({"parallax": 1, "for_each": {"frame": "v?.npy"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "crop", "x": [0, 4], "variant": "reference"}],
        "outputs": {"image": "{frame.stem}_c.npy"}})");
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "run");
        words.insert(words.end(), {"--device", "native", "--quiet", "--out", ".", "--overwrite"});
        return run_program(words, folder);
    };
    REQUIRE(run({"job.json"}).status == 0);
    REQUIRE(run({"series.json"}).status == 0);
    const auto text = [&](const char* name) { return read_text(folder / name); };
    const std::string input = text("v1.npy"), output = text("out.npy"), job = text("job.json");
    struct Row {
        std::vector<std::string> words;
        const char* found;
    };
    for (const Row& row : {Row{{"over.json"}, "V1.NPY"},
                           Row{{"job.json", "--report", "V1.NPY"}, "V1.NPY, which is an input"},
                           Row{{"job.json", "--report", "OUT.NPY"}, "OUT.NPY, which is an output too"},
                           Row{{"job.json", "--report", "JOB.JSON"}, "JOB.JSON, which is the job"},
                           Row{{"job.json", "--report", "r.html", "--gallery", "R.html"}, "File exists"},
                           Row{{"two.json"}, "File exists"},
                           Row{{"series.json", "--report", "V2.npy"}, "V2.npy, which is an input"},
                           Row{{"series.json", "--trace", "V2_C.npy"}, "V2_C.npy, which is an output too"},
                           Row{{"series.json", "--report", "Series.json"}, "Series.json, which is the job"}}) {
        CAPTURE(row.words.back());
        const Run made = run(row.words);
        CHECK(made.status != 0);
        CHECK_MESSAGE(contains(made.err, row.found), made.err);
        CHECK(text("v1.npy") == input);
        CHECK(text("v2.npy") == input);
        CHECK(text("out.npy") == output);
        CHECK(text("job.json") == job);
    }
    CHECK_FALSE(fs::exists(folder / "new.npy"));
}
