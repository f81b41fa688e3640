// Frames through a pipe: in every form in which programs write them, cut off and damaged at random, and to readers that go.
#include <fmt/format.h>

#include <cstring>
#include <random>

#include "frames.hpp"
#include "seed.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

constexpr int width = 21, height = 10, frames = 6;   // odd and even, so that halved colours are rounded up

std::string values(std::uint32_t seed, std::size_t count) {
    std::string bytes(count, '\0');
    std::mt19937 random(seed);
    for (char& byte : bytes) byte = static_cast<char>(random() % 200);
    return bytes;
}

/// What comes, and what must come out where each value becomes one larger.
struct Form {
    const char* name;
    Json input = "-", output = "-";
    std::string before, frame_before;   ///< of the stream, of each frame
    std::size_t elements = width * height;
    int bytes = 1;
    bool big = false;
    std::size_t colours = 0;   ///< bytes behind each frame that are left out
    std::string out_before = {}, out_frame_before = {};
};

std::vector<Form> forms() {
    const std::string pgm = "P5\n21 10\n255\n", y4m = "YUV4MPEG2 W21 H10 F25:1 C",
                      mono = "YUV4MPEG2 W21 H10 F25:1 Ip A1:1 Cmono\n";
    const Json raw{{"file", "-"}, {"raw", {{"type", "u16"}, {"axes", "yx"}, {"shape", {height, width}}}}};
    return {
        {"PGM", "-", "-", "", pgm, 210, 1, false, 0, "", pgm},
        {"PGM with comments", "-", "-", "", "P5 # words\n#\n21\t10\n# more\n255\n", 210, 1, false, 0, "", pgm},
        {"PGM of 16 bits", "-", "-", "", "P5\n21 10\n65535\n", 210, 2, true, 0, "", "P5\n21 10\n65535\n"},
        {"PPM", "-", "-", "", "P6\n21 10\n255\n", 630, 1, false, 0, "", "P6\n21 10\n255\n"},
        {"Y4M mono", "-", "-", y4m + "mono\n", "FRAME\n", 210, 1, false, 0, mono, "FRAME\n"},
        {"Y4M 420", "-", "-", y4m + "420jpeg\n", "FRAME Ip\n", 210, 1, false, 2 * 11 * 5, mono, "FRAME\n"},
        {"Y4M 422", "-", "-", y4m + "422\n", "FRAME\n", 210, 1, false, 2 * 11 * 10, mono, "FRAME\n"},
        {"Y4M 411", "-", "-", y4m + "411\n", "FRAME\n", 210, 1, false, 2 * 6 * 10, mono, "FRAME\n"},
        {"Y4M 444", "-", "-", y4m + "444\n", "FRAME\n", 210, 1, false, 420, mono, "FRAME\n"},
        {"Y4M without a word", "-", "-", "YUV4MPEG2 W21 H10 F25:1\n", "FRAME\n", 210, 1, false, 2 * 11 * 5, mono, "FRAME\n"},
        {"Y4M to PGM", "-", {{"file", "-"}, {"format", "pgm"}}, y4m + "mono\n", "FRAME\n", 210, 1, false, 0, "", pgm},
        {"raw", raw, "-", "", "", 210, 2, false, 0, "", ""},
        {"raw to PGM", raw, {{"file", "-"}, {"format", "pgm"}}, "", "", 210, 2, false, 0, "", "P5\n21 10\n65535\n"},
    };
}

Json job_of(const Form& form) {
    return {{"parallax", 1},
            {"device", {{"backend", "native"}}},
            {"inputs", {{"image", form.input}}},
            {"steps", {{{"run", "arithmetic"}, {"value", 1}}}},
            {"outputs", {{"image", form.output}}}};
}

std::pair<std::string, std::string> stream_of(const Form& form) {
    std::string in = form.before, out = form.out_before;
    for (int i = 0; i < frames; ++i) {
        std::string frame = values(static_cast<std::uint32_t>(i + 1), form.elements * static_cast<std::size_t>(form.bytes));
        in += form.frame_before + frame + values(77, form.colours);
        const std::size_t low = form.bytes == 2 && form.big ? 1 : 0;
        for (std::size_t n = low; n < frame.size(); n += static_cast<std::size_t>(form.bytes)) ++frame[n];
        const bool swapped = form.bytes == 2 && !form.big && !form.out_frame_before.empty();   // a PGM's bytes, the larger first
        for (std::size_t n = 0; swapped && n < frame.size(); n += 2) std::swap(frame[n], frame[n + 1]);
        out += form.out_frame_before + frame;
    }
    return {in, out};
}

}   // namespace

TEST_CASE("stream: frames of every form go through a job and come out as they should") {
    for (const Form& form : forms()) {
        CAPTURE(form.name);
        const TempFolder folder;
        const auto [in, out] = stream_of(form);
        write_text(folder / "job.json", job_of(form).dump());
        write_text(folder / "in", in);
        const int status = shell(folder.path(), "\"$P\" run job.json < in > out 2> said");
        const std::string said = read_text(folder / "said");
        CAPTURE(said);
        CHECK(status == 0);
        CHECK((read_text(folder / "out") == out));
        CHECK(contains(said, "6 frames in"));
        CHECK(contains(said, "latency"));
        CHECK(contains(said, "brightness alone") == (form.colours > 0));
    }
}

TEST_CASE("stream: what is cut off or damaged gives whole frames and an error, never half a frame") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const std::vector<Form> all = forms();
    for (int draw = 0; draw < 80; ++draw) {
        const Form& form = all[random() % all.size()];
        const TempFolder folder;
        auto [in, out] = stream_of(form);
        const bool cut = random() % 2 == 0;
        if (cut)
            in.resize(random() % in.size());
        else
            for (unsigned i = 0; i <= random() % 3; ++i)
                in[random() % std::min<std::size_t>(in.size(), 60)] = static_cast<char>(random());
        write_text(folder / "job.json", job_of(form).dump());
        write_text(folder / "in", in);
        const int status = shell(folder.path(), "timeout 60 \"$P\" run job.json < in > out 2> said");
        const std::string said = read_text(folder / "said"), got = read_text(folder / "out");
        CAPTURE(form.name);
        CAPTURE(cut);
        CAPTURE(said);
        CAPTURE(status);
        CHECK((status == 0 || status == 1 || status == 2));
        if (status != 0) CHECK(contains(said, "error: "));
        if (!cut) continue;
        CHECK((out.compare(0, got.size(), got) == 0));
        const std::size_t frame = (out.size() - form.out_before.size()) / frames;
        CHECK((got.empty() || (got.size() - form.out_before.size()) % frame == 0));
    }
}

TEST_CASE("stream: a reader that goes ends it, and so does nothing else") {
    const Form form = forms().front();
    const TempFolder folder;
    const auto [in, out] = stream_of(form);
    write_text(folder / "job.json", job_of(form).dump());
    std::string many;
    for (int i = 0; i < 2000; ++i) many += in;
    write_text(folder / "in", many);
    CHECK(shell(folder.path(), "(timeout 60 \"$P\" run job.json --quiet < in; echo $? > status) | head -c 100 > out") == 0);
    CHECK(read_text(folder / "status") == "141\n");
    // Frame by frame: each result is there before the next frame comes.
    CHECK(shell(folder.path(),
                "mkfifo a b && (timeout 60 \"$P\" run job.json --quiet < a > b & exec 3> a 4< b; for i in 1 2 3; do "
                "head -c 223 in >&3; head -c 223 <&4 > got$i || exit 9; done; exec 3>&-; wait)") == 0);
    CHECK((read_text(folder / "got3") == out.substr(0, 223)));
}

#if defined(__linux__)
TEST_CASE("stream: a stop is told and ends it, whatever it waits for") {
    const Form form = forms().front();
    const TempFolder folder;
    const auto [in, out] = stream_of(form);
    write_text(folder / "job.json", job_of(form).dump());
    std::string many;
    for (int i = 0; i < 2000; ++i) many += in;
    write_text(folder / "in", many);
    // $1: what comes before the signal. $2: frames without end instead, of which nobody takes what becomes of them. The signal is
    // sent when the program hears of it (bit 14 is SIGTERM's).
    write_text(folder / "stop.sh",
               "rm -f a b; mkfifo a b; exec 3<> a 4<> b\n"
               "\"$P\" run job.json --quiet < ${2:-a} > b 2> said 3>&- 4>&- & p=$!\n"
               "until grep -q 'SigCgt:.*[4-7c-f][0-9a-f]\\{3\\}$' /proc/$p/status; do sleep .02; done\n"
               "head -c $1 in >&3; sleep .3; kill -TERM $p; wait $p; echo $? > status\n");
    for (const char* const words : {"0", "5", "100", "300", "0 in"}) {
        CAPTURE(words);
        REQUIRE(shell(folder.path(), fmt::format("export P; timeout 60 sh stop.sh {}", words)) == 0);
        CHECK(read_text(folder / "status") == "1\n");
        CHECK(read_text(folder / "said") == "stopped before the input ended\n");
    }
}

TEST_CASE("stream: an input that cannot be read and an output that cannot be written are errors, not ends") {
    const Form form = forms().front();
    const TempFolder folder;
    write_text(folder / "job.json", job_of(form).dump());
    write_text(folder / "in", stream_of(form).first);
    const auto said_by = [&](const char* streams) {
        CHECK(shell(folder.path(), fmt::format("timeout 60 \"$P\" run job.json {} 2> said", streams)) == 1);
        return read_text(folder / "said");
    };
    CHECK(contains(said_by("< . > out"), "standard input: cannot be read: Is a directory"));
    CHECK(contains(said_by("< in > /dev/full"), "standard output: cannot be written"));
    CHECK(contains(said_by("< in >&-"), "standard output: is closed"));
    CHECK(contains(said_by("<&- > out"), "standard input: ended before the first frame"));
}
#endif

TEST_CASE("stream: what cannot be is refused before a frame is read") {
    const auto refused = [](const Json& patch, const char* says, const char* options = "", int status = 2) {
        const TempFolder folder;
        Json job = job_of(forms().front());
        job.merge_patch(patch);
        write_text(folder / "job.json", job.dump());
        write_text(folder / "in", stream_of(forms().front()).first);
        CHECK(shell(folder.path(), fmt::format("\"$P\" run job.json {} < in > out 2> said", options)) == status);
        const std::string said = read_text(folder / "said");
        CAPTURE(said);
        CHECK(contains(said, says));
        CHECK(read_text(folder / "out").empty());
    };
    refused({{"outputs", {{"image", "a.png"}}}}, "a.png");
    refused({{"outputs", {{"second", {{"file", "-"}, {"of", "image"}}}}}}, "a second time");
    refused({{"inputs", {{"other", "-"}}}}, "a second time");
    refused({{"for_each", {{"frame", "*.tif"}}}}, "the same file for every item");
    refused(Json::object(), "--report", "--report r.json");
    refused(Json::object(), "--json", "--json");
    for (const auto& [option, words] : {std::pair{"--out", "--out there"}, {"--overwrite", "--overwrite"}, {"--manifest", "--manifest kept"}})
        refused(Json::object(), fmt::format("found     {}\n  expected  a job on files", option).c_str(), words);
    refused({{"steps", {{{"run", "convert"}, {"type", "f32"}}}}}, "\"window\"", "", 1);
    const auto raw = [](const Json& patch) {
        Json layout{{"type", "u16"}, {"axes", "yx"}, {"shape", {10, 21}}};
        layout.merge_patch(patch);
        return Json{{"image", {{"file", "-"}, {"raw", layout}}}};
    };
    refused({{"inputs", raw({{"type", "mono12p"}})}}, "\"mono12p\" of frames through a pipe");
    refused({{"inputs", raw({{"offset", 16}})}}, "16 for frames through a pipe");
    const Json to_pgm{{"image", {{"file", "-"}, {"format", "pgm"}}}};
    refused({{"inputs", raw({{"type", "f32"}})}, {"outputs", to_pgm}}, "need a \"window\"");
    refused({{"outputs", {{"image", {{"file", "-"}, {"format", "avi"}}}}}}, "avi");
}

TEST_CASE("stream: grey is made of a frame's colours wherever they stand, as of a file; of other channels there is none") {
    const TempFolder folder;
    // (200, 100, 50), (255, 255, 255), (1, 2, 3), (0, 0, 255).
    const std::string greys = "\x7c\xff\x02\x1d", together = std::string("\xc8\x64\x32\xff\xff\xff\1\2\3\0\0\xff", 12),
                      apart = std::string("\xc8\xff\1\0\x64\xff\2\0\x32\xff\3\xff", 12);
    const auto job_of_raw = [](const char* file, const Json& type, const Json& axes, const Json& shape, const char* output) {
        const Json layout{{"type", type}, {"axes", axes}, {"shape", shape}};
        return Json{{"parallax", 1},
                    {"device", {{"backend", "native"}}},
                    {"inputs", {{"image", {{"file", file}, {"grey", true}, {"raw", layout}}}}},
                    {"steps", {{{"run", "crop"}, {"out", {{"image", "cut"}}}}}},
                    {"outputs", {{"cut", output}}}};
    };
    struct Row {
        const char* axes;
        Json shape;
        std::string frame;
    };
    for (const Row& row : {Row{"yxc", {2, 2, 3}, together}, {"cyx", {3, 1, 4}, apart}, {"cyx", {4, 2, 2}, apart + "9999"}}) {
        CAPTURE(row.axes);
        write_text(folder / "job.json", job_of_raw("-", "u8", row.axes, row.shape, "-").dump());
        write_text(folder / "in", row.frame + row.frame);
        CHECK(shell(folder.path(), "\"$P\" run job.json < in > out 2> said") == 0);
        CHECK((read_text(folder / "out") == greys + greys));
        write_text(folder / "file.json", job_of_raw("in", "u8", row.axes, row.shape, "out.npy").dump());
        CHECK(shell(folder.path(), "\"$P\" run file.json --overwrite > out 2> said") == 0);
        const std::string npy = read_text(folder / "out.npy");
        CHECK((npy.substr(npy.size() - greys.size()) == greys));
    }
    write_text(folder / "ppm.json", R"({"parallax": 1, "device": {"backend": "native"},
        "inputs": {"image": {"file": "-", "grey": true}}, "steps": [{"run": "crop", "out": {"image": "cut"}}], "outputs": {"cut": {"file": "-", "format": "raw"}}})");
    write_text(folder / "in", "P6 4 1 255\n" + together);
    CHECK(shell(folder.path(), "\"$P\" run ppm.json < in > out 2> said") == 0);
    CHECK((read_text(folder / "out") == greys));
    write_text(folder / "in", std::string(960, 'a'));
    for (const auto& [type, channels] : {std::pair{"u8", 1}, {"u8", 2}, {"u8", 6}, {"bool", 3}, {"c64", 3}}) {
        CAPTURE(channels);
        write_text(folder / "job.json", job_of_raw("-", type, "yxc", {2, 5, channels}, "-").dump());
        write_text(folder / "file.json", job_of_raw("in", type, "yxc", {2, 5, channels}, "new.npy").dump());
        for (const char* const command : {"plan job.json", "run job.json", "plan file.json", "run file.json"}) {
            CAPTURE(command);
            CHECK(shell(folder.path(), fmt::format("\"$P\" {} < in > out 2> said", command)) ==
                  (std::string_view(command).ends_with("job.json") ? 2 : 1));
            CHECK(contains(read_text(folder / "said"), "not colours"));
        }
    }
}

TEST_CASE("stream: plan is of one frame, by the layout that is stated or as the first frame begins") {
    const TempFolder folder;
    Json job = job_of(forms().front());
    write_text(folder / "job.json", job.dump());
    CHECK(shell(folder.path(), "\"$P\" plan job.json < /dev/null > out 2> said") == 2);
    CHECK(contains(read_text(folder / "said"), "frames of standard input, whose shape is known when the first of them comes"));
    // The header is enough, and a writer that goes on is not waited for.
    CHECK(shell(folder.path(), "mkfifo frames; (printf 'P5\\n640 480\\n4095\\n'; exec sleep 60) > frames & "
                               "timeout 30 \"$P\" plan job.json < frames > out 2> said; s=$?; kill $!; exit $s") == 0);
    CHECK(contains(read_text(folder / "out"), "u16 480 x 640 (y, x)"));
    CHECK(contains(read_text(folder / "out"), "warning: standard input: white is 4095"));
    CHECK(shell(folder.path(), "printf GIF89a | \"$P\" plan job.json > out 2> said") == 1);
    CHECK(contains(read_text(folder / "said"), "does not begin as a stream of frames"));
    job["outputs"]["image"] = {{"file", "-"}, {"format", "pgm"}};
    write_text(folder / "job.json", job.dump());
    CHECK(shell(folder.path(), "printf 'YUV4MPEG2 W64 H48 C420p10\\n' | \"$P\" plan job.json > out 2> said") == 0);
    CHECK(contains(read_text(folder / "out"), "warning: standard input: white is 1023 in it"));
    CHECK(shell(folder.path(), "printf 'YUV4MPEG2 W64 H48 Cmono16\\n' | \"$P\" plan job.json > out 2> said") == 0);
    CHECK_FALSE(contains(read_text(folder / "out"), "white is"));
    job["outputs"]["image"] = {{"file", "-"}, {"format", "y4m"}};
    write_text(folder / "job.json", job.dump());
    CHECK(shell(folder.path(), "printf 'P5\\n640 480\\n65535\\n' | \"$P\" plan job.json > out 2> said") == 1);
    CHECK(contains(read_text(folder / "said"), "standard output"));
    job["outputs"]["image"] = "-";
    job["inputs"]["image"] = {{"file", "-"}, {"raw", {{"type", "u16"}, {"axes", "yx"}, {"shape", {480, 640}}}}};
    write_text(folder / "job.json", job.dump());
    CHECK(shell(folder.path(), "\"$P\" plan job.json > out 2> said") == 0);
    CHECK(contains(read_text(folder / "out"), "u16 480 x 640 (y, x)"));
    CHECK(contains(read_text(folder / "said"), "for one frame of standard input"));
    job["inputs"]["image"]["raw"]["type"] = "f32";
    job["outputs"]["image"] = {{"file", "-"}, {"format", "pgm"}};
    write_text(folder / "job.json", job.dump());
    CHECK(shell(folder.path(), "\"$P\" plan job.json > out 2> said") == 2);
    CHECK(contains(read_text(folder / "said"), "need a \"window\""));
}

TEST_CASE("stream: Y4M keeps the shape of pixels, fields and the range of values") {
    const auto head_of = [](const std::string& words, const Json& step, const Json& output, std::string& said) {
        const TempFolder folder;
        Json job = job_of(forms().front());
        job["steps"][0] = step;
        job["outputs"]["image"] = output;
        write_text(folder / "job.json", job.dump());
        write_text(folder / "in", "YUV4MPEG2 W4 H2 F25:1 " + words + "\nFRAME\n" + std::string(12, 'a'));
        CHECK(shell(folder.path(), "\"$P\" run job.json < in > out 2> said") == 0);
        said = read_text(folder / "said");
        const std::string out = read_text(folder / "out");
        return out.substr(0, out.find('\n'));
    };
    const Json add{{"run", "arithmetic"}, {"value", 1}}, crop{{"run", "crop"}, {"y", {0, 1}}};
    std::string said;
    CHECK(head_of("It A16:11 C420 XYSCSS=420 XCOLORRANGE=FULL", add, "-", said) ==
          "YUV4MPEG2 W4 H2 F25:1 It A16:11 Cmono XCOLORRANGE=FULL");
    CHECK(contains(said, "interlaced (It)"));
    CHECK(contains(said, "1 frame in "));
    CHECK(head_of("Ib A16:11 C420", crop, "-", said) == "YUV4MPEG2 W4 H1 F25:1 Ip A16:11 Cmono");   // no two fields of one row
    CHECK(head_of("Ip A1:1 C420 XCOLORRANGE=LIMITED", add, {{"file", "-"}, {"colour_map", "viridis"}}, said) ==
          "YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C444");   // other values
    CHECK(!contains(said, "interlaced"));
    CHECK(head_of("Izz Aten:1 C420 XCOLORRANGE=MUCH", add, "-", said) == "YUV4MPEG2 W4 H2 F25:1 Ip A1:1 Cmono");
    for (const char* const word : {"\"Izz\"", "\"Aten:1\"", "\"XCOLORRANGE=MUCH\""}) CHECK(contains(said, word));
    for (const char* const word : {"F-1:1", "F99999999999999999999:1", "F25", "F0:1"}) {   // the last of several counts
        CAPTURE(std::string(word));
        CHECK(head_of(word + std::string(" C420"), add, "-", said) == "YUV4MPEG2 W4 H2 F25:1 Ip A1:1 Cmono");
        CHECK(contains(said, fmt::format("\"{}\", and this is passed over: expected frames a second", word)));
    }
    CHECK(head_of("F0:0 I? A0:0 C420", add, "-", said) == "YUV4MPEG2 W4 H2 F25:1 Ip A0:0 Cmono");   // not known, which is no mistake
    CHECK(!contains(said, "passed over"));
}

TEST_CASE("stream: sizes of frames are told as columns x rows") {
    const TempFolder folder;
    write_text(folder / "job.json", job_of(forms().front()).dump());
    write_text(folder / "in", "P5\n3 2\n255\nabcdefP5\n2 3\n255\nghijkl");
    CHECK(shell(folder.path(), "\"$P\" run job.json < in > out 2> said") == 1);
    CHECK(contains(read_text(folder / "said"), "frame 1 of 2 x 3 pixels of 1 channels up to 255, unlike the first: 3 x 2 of 1"));
}

TEST_CASE("stream: what files beside it give cause to is told") {
    const TempFolder folder;
    Json job = job_of(forms().front());
    job["inputs"]["other"] = {{"file", "dark.bin"}, {"raw", {{"type", "u8"}, {"axes", "yx"}, {"shape", {10, 21}}}}};
    job["steps"][0] = {{"run", "arithmetic"}, {"op", "subtract"}};
    write_text(folder / "job.json", job.dump());
    write_text(folder / "dark.bin", std::string(420, '\0'));
    write_text(folder / "in", stream_of(forms().front()).first);
    CHECK(shell(folder.path(), "\"$P\" run job.json < in > out 2> said") == 0);
    CHECK(contains(read_text(folder / "said"), "input \"other\": 210 of its 420 bytes lie behind the raw layout"));
}
