// Wrong jobs and broken files through the real program: exit status, message, and nothing left behind.
#include "parallax/host/json.hpp"
#include "support.hpp"

#include <algorithm>
#include <limits>
#include <map>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A folder with good and broken files to run jobs on.
void fill(const TempFolder& folder) {
    io::write(folder / "h.png", ramp(16, 12));
    io::write(folder / "small.png", ramp(8, 8));
    io::write(folder / "nan.npy", floats(4, 4, {1, 2, std::numeric_limits<float>::quiet_NaN()}));
    io::write(folder / "f32.npy", floats(16, 12, {}));
    const std::string png = read_text(folder / "h.png");
    const std::string npy = read_text(folder / "f32.npy");
    write_text(folder / "cut.png", png.substr(0, png.size() / 2));
    write_text(folder / "cut.npy", npy.substr(0, npy.size() - 5));
    write_text(folder / "empty.tif", "");
    write_text(folder / "text.tif", "this is no picture");
    write_text(folder / "text.png", "this is no picture either");
    write_text(folder / "head.nii", std::string(100, '\0'));
    write_text(folder / "x.raw", std::string(100, 'x'));
    write_text(folder / "file", "a file where a folder should be");
    fs::create_directory(folder / "bg");
    io::write(folder / "bg/1.png", ramp(16, 12));
    io::write(folder / "bg/2.png", ramp(16, 11));
    write_text(folder / "there.npy", "an earlier result");
}

/// A good job; each row changes it by a merge patch (RFC 7396).
const Json base = Json::parse(R"({
    "parallax": 1, "device": {"backend": "native"}, "inputs": {"hologram": "h.png"},
    "steps": [{"id": "recon", "run": "hologram", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000, "padding": "none"}],
    "outputs": {"amplitude": "out/a.npy"} })");

/// A step of `hologram` with these members beside, or in the place of, those of the good job.
std::string step(const std::string& members) {
    Json job = base;
    job["steps"][0].merge_patch(Json::parse("{" + members + "}"));
    return Json{{"steps", job["steps"]}}.dump();
}

struct Row {
    std::string patch;
    std::vector<std::string> arguments;
    int status;
    std::vector<std::string> fragments;
};

}  // namespace

TEST_CASE("a range of which one end is missing is refused by that end") {
    const TempFolder folder;
    const auto refused = [&](const std::string& fit) {
        write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": "h.png"}, "outputs": {"counts": "c.json"},
            "steps": [{"run": "box_count", "fit": )" + fit + "}]}");
        const Run run = run_program({"plan", "job.json"}, folder.path());
        CHECK(run.status == 2);
        return run.err;
    };
    CHECK(contains(refused(R"({"from": 1})"), "/steps/0/fit/to"));
    CHECK(contains(refused(R"({"to": 3})"), "no \"from\""));
    CHECK(contains(refused(R"({"from": 1, "to": 3})"), "no file"));   // nothing is wrong with that
}

TEST_CASE("wrong jobs and broken files: the right status, the right words, nothing left behind") {
    const TempFolder folder;
    fill(folder);
    std::string long_path;
    while (long_path.size() < 5000) long_path += std::string(200, 'd') + "/";
    const Row rows[] = {
        // An order that is not there.
        {step(R"("off_axis": {"x": 4, "y": 2, "radius": 4.5})"),
         {},
         2,
         {"/steps/0/off_axis/radius", "holds the zero order", "less than 4.47"}},
        {step(R"("off_axis": "auto")"), {}, 2, {"/steps/0/off_axis", "outside the centre", "leave off_axis out"}},
        {step(R"("off_axis": {"side": "left"})"), {}, 2, {"/steps/0/off_axis/side", "unknown | upper | lower"}},
        {R"({"inputs": {"background": "bg/1.png"}, "steps": )" +
             Json::parse(step(R"("off_axis": {"x": 4, "y": 2})"))["steps"].dump() + "}",
         {},
         2,
         {"/inputs/background", "beside off_axis", "as a field"}},
        // What nobody can guess.
        {step(R"("wavelength_nm": null)"), {}, 2, {"/steps/0/wavelength_nm", "no wavelength", "wavelength_nm | wavelength_um"}},
        {step(R"("distance_um": null)"), {}, 2, {"/steps/0/distance_um", "no distance", "distance_nm | distance_um"}},
        {step(R"("pixel_um": 0)"), {}, 2, {"/steps/0/pixel_um", "no pixel", "magnification"}},
        {step(R"("off_axis": {"x": 100, "y": 0, "radius": 3})"), {}, 2, {"/steps/0/off_axis/x"}},
        // A report in the place of what it reports on.
        {"{}", {"--report", "job.json", "--overwrite"}, 2, {"--report", "which is the job"}},
        {"{}", {"--report", "h.png", "--overwrite"}, 2, {"--report", "which is an input"}},
        // The text of the job.
        {R"({"parallax": null})", {}, 2, {"/parallax", "add \"parallax\": 1"}},
        {R"({"parallax": "1"})", {}, 2, {"/parallax", "the string \"1\""}},
        {R"({"output": {}})", {}, 2, {"/output", "did you mean \"outputs\""}},
        {R"({"steps": null})", {}, 2, {"/steps", "nothing"}},
        {R"({"steps": [{"run": "hologramm"}]})", {}, 2, {"/steps/0/run", "\"hologramm\"", "did you mean \"hologram\""}},
        {step(R"("wavelenght_nm": 532)"), {}, 2, {"/steps/0/wavelenght_nm", "did you mean \"wavelength_nm\""}},
        {step(R"("wavelength": 532)"), {}, 2, {"/steps/0/wavelength", "wavelength_nm | wavelength_um"}},
        {step(R"("wavelength_nm": "green")"),
         {},
         2,
         {"/steps/0/wavelength_nm", "the string \"green\"", "a length in nm above 0"}},
        {step(R"("wavelength_nm": -532)"), {}, 2, {"/steps/0/wavelength_nm", "-532", "above 0"}},
        {step(R"("wavelength_nm": 532, "wavelength_um": 0.532)"), {}, 2, {"/steps/0/wavelength_um", "beside \"wavelength_nm\""}},
        // A length is spoken of by the key that was written.
        {step(R"("pixel_um": null, "pixel_nm": 0)"), {}, 2, {"/steps/0/pixel_nm in", "expected  pixel_nm, since"}},
        {step(R"("distance_um": null, "distance_mm": 0, "method": "rayleigh_sommerfeld")"),
         {},
         2,
         {"/steps/0/distance_mm in", "a distance of 0"}},
        {step(R"("pixel_um": [1, 2, 3])"), {}, 2, {"/steps/0/pixel_um", "a list of 3", "[x, y]"}},
        {step(R"("distance_um": {"from": 1, "to": 10})"), {}, 2, {"/steps/0/distance_um", "without \"step\""}},
        {step(R"("distance_um": {"from": 1, "to": 10, "step": -1})"), {}, 2, {"/steps/0/distance_um/step", "above 0"}},
        {step(R"("distance_um": {"from": 0, "to": 1e9, "step": 1})"), {}, 2, {"/steps/0/distance_um", "at most 100000 values"}},
        {step(R"("distance_um": [])"), {}, 2, {"/steps/0/distance_um", "an empty list"}},
        {step(R"("method": "angular")"), {}, 2, {"/steps/0/method", "angular_spectrum"}},
        {step(R"("band_limit": "yes")"), {}, 2, {"/steps/0/band_limit", "true or false"}},
        {step(R"("autofocus": {"metric": "tenengard"})"), {}, 2, {"/steps/0/autofocus/metric", "did you mean \"tenengrad\""}},
        {step(R"("variant": "fussed")"), {}, 2, {"/steps/0/variant", "did you mean \"fused\""}},
        {step(R"("policy": {"work_group_size": 64})"), {}, 2, {"/steps/0/policy", "\"variant\""}},
        {step(R"("planes": "best")"), {}, 2, {"/steps/0/planes", "autofocus"}},
        {step(R"("in": {"holgram": "hologram"})"), {}, 2, {"/steps/0/in/holgram", "did you mean \"hologram\""}},
        {step(R"("in": {"hologram": "hologam"})"), {}, 2, {"/steps/0/in/hologram", "did you mean \"hologram\""}},
        {R"({"outputs": {"ampiltude": "a.npy", "amplitude": null}})",
         {},
         2,
         {"/outputs/ampiltude", "did you mean \"amplitude\""}},
        {R"({"outputs": {"amplitude": "a.bmp"}})", {}, 2, {"/outputs/amplitude", "\"a.bmp\"", ".png"}},
        {R"({"outputs": {"amplitude": "a.svg"}})", {}, 2, {"/outputs/amplitude", "a.svg", "drawings"}},
        {R"({"outputs": {"focus": "f.json"}})", {}, 2, {"/outputs/focus", "autofocus"}},
        {R"({"inputs": {"dark_frame": "h.png"}})", {}, 2, {"/inputs/dark_frame", "which no step uses"}},
        {R"({"device": {"backend": null, "prefer": [{"typ": "gpu"}]}})",
         {},
         2,
         {"/device/prefer/0/typ", "did you mean \"type\""}},
        {R"({"non_finite": "ignore"})", {}, 2, {"/non_finite", "propagate | reject | mask"}},
        // Files.
        {R"({"inputs": {"hologram": "g.png"}})", {}, 2, {"/inputs/hologram", "no file", "did you mean \"h.png\""}},
        {R"({"inputs": {"hologram": "bg"}})", {}, 2, {"/inputs/hologram", "the folder"}},
        {R"({"inputs": {"hologram": "data:h.png"}})", {}, 2, {"/inputs/hologram", "--root data=DIR"}},
        {R"({"inputs": {"hologram": "cut.png"}})", {}, 1, {"cut.png"}},
        {R"({"inputs": {"hologram": "cut.npy"}})", {}, 1, {"cut.npy"}},
        {R"({"inputs": {"hologram": "empty.tif"}})", {}, 1, {"empty.tif", "empty"}},
        {R"({"inputs": {"hologram": "text.tif"}})", {}, 1, {"text.tif"}},
        {R"({"inputs": {"hologram": "text.png"}})", {}, 1, {"text.png"}},
        {R"({"inputs": {"hologram": "head.nii"}})", {}, 1, {"head.nii"}},
        {R"({"inputs": {"hologram": {"file": "x.raw", "raw": {"type": "u16", "axes": "yx", "shape": [100, 100]}}}})",
         {},
         1,
         {"x.raw"}},
        {R"({"inputs": {"hologram": {"file": "h.png", "page": 4}}})", {}, 2, {"/inputs/hologram/page", "one only"}},
        {R"({"inputs": {"background": {"files": "bg/*.tif", "combine": "mean"}}})",
         {},
         2,
         {"/inputs/background/files", "no file that matches"}},
        {R"({"inputs": {"background": {"files": "bg/*.png", "combine": "mean"}}})",
         {},
         2,
         {"/inputs/background/files", "12 x 16", "11 x 16"}},
        {R"({"inputs": {"background": "small.png"}})", {}, 2, {"/inputs/background", "8 x 8", "16 x 12"}},
        {R"({"inputs": {"hologram": "nan.npy"}, "non_finite": "reject"})", {}, 1, {"nan.npy", "nan at [0, 2] (y, x)"}},
        // Outputs.
        {R"({"outputs": {"amplitude": "/tmp/a.npy"}})", {}, 2, {"/outputs/amplitude", "absolute path"}},
        {R"({"outputs": {"amplitude": "../a.npy"}})", {}, 2, {"/outputs/amplitude", "\"..\""}},
        {R"({"outputs": {"amplitude": "file/a.npy"}})", {}, 2, {"/outputs/amplitude", "is not a folder"}},
        {R"({"outputs": {"amplitude": "there.npy"}})", {}, 2, {"/outputs/amplitude", "the existing file", "--overwrite"}},
        {R"({"outputs": {"amplitude": "a.npy", "phase": "a.npy"}})", {}, 2, {"/outputs/phase", "a second time"}},
        // Of two the last would count.
        {"{}", {"--set", "recon.pixel_um=1", "--set", "recon.pixel_nm=900"}, 2, {"--set recon.pixel_nm", "beside \"recon.pixel_um\""}},
        {"{}", {"--set", R"(recon.distance_um={"from": 1, "from": 2})"}, 2, {"--set recon.distance_um", "the key \"from\" twice"}},
        {"{}", {"--device", R"({"backend": "native", "backend": "opencl"})"}, 2, {"--device", "the key \"backend\" twice"}},
        {R"({"outputs": {"amplitude": "h.png"}})", {"--overwrite"}, 2, {"/outputs/amplitude", "which is an input"}},
        {R"({"outputs": {"field": "f.png"}})", {}, 2, {"/outputs/field", "c64"}},
        {R"({"outputs": {"amplitude": "{frame}.npy"}})", {}, 2, {"/outputs/amplitude", "the placeholder {frame}"}},
        // What cannot be done.
        {R"({"memory_limit": 500})", {}, 1, {"memory_limit", "960 bytes", "500 bytes"}},
        {R"({"device": {"vendor": "no such vendor"}})", {}, 1, {"no device", "no such vendor"}},
        {step(R"("variant": "paper")"), {}, 1, {"paper", "native"}},
        // The command line.
        {"{}", {"--set", "recno.distance_um=1"}, 2, {"--set recno.distance_um", "did you mean \"recon\""}},
        {"{}", {"--set", "recon.distnace_um=1"}, 2, {"--set recon.distnace_um", "did you mean \"distance_um\""}},
        {"{}", {"--set", "recon.distance_um"}, 2, {"step.key=value"}},
        {"{}", {"--set", "recon.distance_um=far"}, 2, {"/steps/0/distance_um", "\"far\""}},
        {"{}", {"--in", "hologram=missing.png"}, 2, {"/inputs/hologram", "missing.png"}},
        {"{}", {"--in", "holgoram=h.png"}, 2, {"--in holgoram", "did you mean \"hologram\""}},
        {"{}", {"--in", "hologram"}, 2, {"name=file"}},
        {"{}", {"--root", "data"}, 2, {"NAME=DIR"}},
        {"{}", {"--root", "data=missing"}, 2, {"no folder"}},
        {"{}", {"--device", "no such device"}, 1, {"no such device"}},
        {"{}", {"--device", "{\"tpye\": \"gpu\"}"}, 2, {"tpye", "did you mean \"type\""}},
        {"{}", {"--device", "missing.json"}, 2, {"missing.json"}},
        {"{}", {"--out", "file/sub"}, 2, {"/outputs/amplitude", "is not a folder"}},
        {"{}", {"--out", long_path}, 2, {"/outputs/amplitude", "a folder that is there or can be made", "longest path"}},
        {"{}", {"--report", "there.npy"}, 2, {"--report", "the existing file"}},
        {"{}", {"--report", "no/such/r.json"}, 2, {"--report", "a folder that is not there"}},
        {"{}", {"--resume"}, 2, {"for_each"}},
        {"{}", {"--overwite"}, 2, {"did you mean \"--overwrite\""}},
    };
    for (const Row& row : rows) {
        Json job = base;
        job.merge_patch(Json::parse(row.patch));
        write_text(folder / "job.json", job.dump(2));
        const std::vector<std::string> before = folder.listing();
        std::vector<std::string> arguments{"run", "job.json"};
        arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
        const Run run = run_program(arguments, folder.path());
        CAPTURE(row.patch);
        CAPTURE(row.arguments.empty() ? "" : row.arguments.back());
        CAPTURE(run.err);
        CHECK(run.status == row.status);
        CHECK(run.out.empty());
        CHECK(run.err.starts_with("error: "));
        for (const std::string& fragment : row.fragments) {
            CAPTURE(fragment);
            CHECK(contains(run.err, fragment));
        }
        const std::vector<std::string> after = folder.listing();
        CHECK(after == before);
        for (const std::string& name : after) {   // one row's fault is not the next one's
            if (!std::binary_search(before.begin(), before.end(), name)) fs::remove_all(folder / name);
        }
    }
    CHECK(read_text(folder / "there.npy") == "an earlier result");
}

TEST_CASE("job files that are none") {
    const TempFolder folder;
    struct File { const char* text; const char* fragment; };
    for (const File& file :
         {File{"", "line 1"}, File{"{\n \"parallax\": 1,\n}", "line 3, column 1"}, File{"[1, 2]", "a list of 2"},
          File{"nan", "no JSON"}, File{"{\"parallax\": 1, \"parallax\": 1}", "twice"}}) {
        write_text(folder / "job.json", file.text);
        const Run run = run_program({"run", "job.json"}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, file.fragment));
        CHECK(contains(run.err, "job.json"));
    }
    CHECK(run_program({"run", "missing.json"}, folder.path()).status == 2);
    CHECK(run_program({"run", "."}, folder.path()).status == 2);
}

TEST_CASE("a good job does run: the table above fails for its own reasons") {
    const TempFolder folder;
    fill(folder);
    write_text(folder / "job.json", base.dump());
    const Run run = run_program({"run", "job.json"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(run.out == (folder / "out/a.npy").generic_string() + "\n");
    CHECK(io::info(folder / "out/a.npy").desc.describe() == "f32 12 x 16 (y, x)");
}

TEST_CASE("names of a run's unfinished files are no names for others: the next run would remove them") {
    const TempFolder folder;
    const std::string stem = ".parallax-1-2-0123abcd-0-x", name = stem + ".npy";
    io::write(folder / "a.npy", ramp(16, 12));
    io::write(folder / name, ramp(16, 12));
    const auto run = [&](const std::string& in, const std::string& out, const std::vector<std::string>& more) {
        write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": ")" + in +
                                            R"("}, "steps": [{"run": "convert", "type": "f32"}], "outputs": {"image": ")" + out +
                                            "\"}}");
        std::vector<std::string> words{"run", "job.json", "--device", "native", "--out", "out"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words, folder.path());
    };
    const Run input = run(name, "o.npy", {});
    CHECK(input.status == 2);
    CHECK(contains(input.err, "has not finished"));
    CHECK(fs::exists(folder / name));   // not removed by the run that names it
    fs::remove(folder / name);
    for (const auto& [out, more] :
         std::map<std::string, std::vector<std::string>>{{name, {}},
                                                         {name + "/o.npy", {}},
                                                         {"r.npy", {"--report", "r/" + name}},
                                                         {"g.npy", {"--gallery", stem + ".html"}}}) {
        CAPTURE(out);
        const Run refused = run("a.npy", out, more);
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, "the name " + stem));
        CHECK(contains(refused.err, "choose another name"));
        CHECK_FALSE(fs::exists(folder / "out"));
    }
    write_text(folder / "series.json", R"({"parallax": 1, "for_each": {"frame": "a.npy"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "convert", "type": "f32"}], "outputs": {"image": "{frame.stem}-o.npy"}})");
    const Run refused = run_program({"run", "series.json", "--device", "native", "--out", "out", "--manifest", "out/" + name}, folder.path());
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "the name " + stem));
    CHECK_FALSE(fs::exists(folder / "out"));
    // What only begins alike is a name like others.
    CHECK(run("a.npy", ".parallax-notes.npy", {}).status == 0);
}
