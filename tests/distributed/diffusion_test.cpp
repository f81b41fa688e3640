// Rows of an image on several ranks: bit for bit what one device makes of it.
#include "support.hpp"

#include "algorithms/diffusion_lb/rounds.hpp"
#include "io/tree.hpp"

using namespace parallax;
using namespace parallax::tests;
namespace lb = parallax::engine::diffusion_lb;

namespace {

/// Steps, noise and a ramp: no two rows alike, and edges in every direction.
HostArray image(std::int64_t width, std::int64_t height) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', height}, {'x', width}}));
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            const auto noise = static_cast<float>((static_cast<std::uint32_t>(y * width + x) * 2654435761u) >> 24);
            array.as<float>()[y * width + x] = 0.3f * noise + (x + y > 70 ? 90.0f : 10.0f) + 0.2f * static_cast<float>(y);
        }
    return array;
}

Json job(Json step) {
    step["run"] = "diffusion_lb";
    return {{"parallax", 1},
            {"inputs", {{"image", "in.npy"}}},
            {"steps", {step}},
            {"outputs", {{"image", "out.npy"}, {"iterations", "iterations.json"}}}};
}

std::string hash_of(const TempFolder& folder, const Json& json, int ranks) {
    run_job(folder, json, ranks);
    return io::hash_file(folder / "out.npy");
}

}  // namespace

TEST_CASE("diffusion on ranks: every variant, lattice and pace, odd heights, steps that no round divides") {
    const TempFolder folder;
    const std::vector<Json> steps{
        {{"lattice", "D2Q9"}, {"iterations", 7}},
        {{"lattice", "D2Q5"}, {"iterations", 8}, {"update_edges_every", 3}},
        {{"lattice", "D2Q9"}, {"iterations", 7}, {"variant", "fused"}},
        {{"lattice", "D2Q5"}, {"iterations", 9}, {"variant", "fused"}, {"update_edges_every", 4}},
        {{"lattice", "D2Q5"}, {"iterations", 5}, {"variant", "fused"}, {"update_edges_every", 2}, {"sigma", 0.5}},
        {{"lattice", "D2Q9"}, {"iterations", 5}, {"variant", "fused"}, {"policy", {{"steps_at_once", 2}}}},
        {{"lattice", "D2Q9"}, {"iterations", 11}, {"variant", "fused"}, {"policy", {{"tile_rows", 8}}}},
        {{"lattice", "D2Q5"}, {"iterations", 9}, {"variant", "fused"}, {"policy", {{"tile_rows", 16}}}},
        {{"lattice", "D2Q9"}, {"iterations", 7}, {"variant", "half"}},
        {{"lattice", "D2Q5"}, {"iterations", 0}}};
    for (const Json& step : steps) {
        CAPTURE(step.dump());
        for (const std::int64_t height : {133, 90}) {
            io::write(folder / "in.npy", image(77, height), {.overwrite = true});
            const std::string whole = hash_of(folder, job(step), 1);
            for (const int ranks : {2, 3, 4, 8}) {
                CAPTURE(height);
                CAPTURE(ranks);
                CHECK(hash_of(folder, job(step), ranks) == whole);
            }
        }
    }
    CHECK(read_text(folder / "iterations.json") == "[\n  0\n]\n");
}

TEST_CASE("diffusion on ranks: channels of u8 from a file that is decoded as a whole") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 61}, {'x', 50}, {'c', 3}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i)
        array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>((static_cast<std::uint32_t>(i) * 2654435761u) >> 24);
    io::write(folder / "in.png", array);
    Json json = job({{"iterations", 6}});
    json["inputs"] = {{"image", {{"file", "in.png"}, {"keep_channels", true}}}};
    json["outputs"] = {{"image", "out.npy"}};
    const std::string whole = hash_of(folder, json, 1);
    for (const int ranks : {2, 5}) CHECK(hash_of(folder, json, ranks) == whole);
}

TEST_CASE("diffusion on ranks: where voxels lie, notes and names of channels are in the output as one device writes them") {
    const TempFolder folder;
    HostArray placed = image(50, 61);
    placed.desc = placed.desc.with_unit("mm");
    placed.metadata.affine = {0.6, -0.8, 0, 7, 0.8, 0.6, 0, -3, 0, 0, 1, 11, 0, 0, 0, 1};
    io::write(folder / "in.nii", placed);
    HostArray noted = image(50, 61);
    noted.metadata.notes["tiff.description"] = "a slice";
    io::write(folder / "in.tif", noted);
    HostArray channels = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'c', 2}, {'y', 61}, {'x', 50}}));
    for (std::int64_t i = 0; i < channels.desc.count(); ++i)
        channels.as<std::uint8_t>()[i] = static_cast<std::uint8_t>((static_cast<std::uint32_t>(i) * 2654435761u) >> 24);
    channels.metadata.channels = {"DAPI", "GFP"};
    io::write(folder / "in.ome.tif", channels);
    struct Row { Json input, output; const char* holds; };   // what is in the file by its own words; empty: its place tells
    for (const Row& row : {Row{"in.nii", "out.nii", ""}, Row{"in.nii", "out.ome.zarr", ""}, Row{"in.tif", "out.tif", "a slice"},
                           Row{{{"file", "in.nii"}, {"spacing_mm", 2}}, "out.nrrd", ""},
                           Row{{{"file", "in.ome.tif"}, {"channel", "GFP"}}, "out.ome.tif", "GFP"}}) {
        CAPTURE(row.input.dump() + " to " + row.output.dump());
        Json json = job({{"iterations", 3}});
        json["inputs"] = {{"image", row.input}};
        json["outputs"] = {{"image", row.output}};
        const fs::path out = folder / row.output.get<std::string>();
        run_job(folder, json, 1);
        const std::string whole = io::hash_of_tree(out);
        run_job(folder, json, 2);
        CHECK(io::hash_of_tree(out) == whole);
        if (*row.holds != '\0') CHECK(contains(read_text(out), row.holds));
        else {
            const Metadata metadata = io::read(out).metadata;
            REQUIRE(metadata.affine.has_value());
            CHECK((*metadata.affine)[3] == doctest::Approx(7));
        }
    }
    // And what a picture does not show is told.
    Json json = job({{"iterations", 3}});
    json["inputs"] = {{"image", "in.nii"}};
    json["outputs"] = {{"image", {{"file", "out.png"}, {"window", {1000, 2000}}}}};
    const auto told = [&](int ranks) { return run_job(folder, json, ranks).outputs.front().warnings; };
    const std::vector<std::string> by_one = told(1);
    CHECK(by_one.size() == 1);
    CHECK(told(2) == by_one);
}

TEST_CASE("diffusion on ranks: the report says who had what") {
    const TempFolder folder;
    io::write(folder / "in.npy", image(64, 101));
    const engine::JobResult result = run_job(folder, job({{"iterations", 6}}), 3);
    REQUIRE(result.ranks.size() == 3);
    CHECK(result.ranks[0]["share"] == "rows 0 to 32");
    CHECK(result.ranks[2]["share"] == "rows 67 to 100");
    CHECK(result.ranks[1]["exchanges"]["count"].get<int>() > 0);
    CHECK(result.ranks[1]["exchanges"]["bytes_sent"] == 2 * result.ranks[0]["exchanges"]["bytes_sent"].get<std::uint64_t>());
}

TEST_CASE("diffusion on ranks: refused with numbers") {
    const TempFolder folder;
    io::write(folder / "in.npy", image(30, 39));
    const ConfigError few = error_of<ConfigError>([&] { run_job(folder, job({{"iterations", 3}}), 8); });
    CHECK(few.pointer == "/inputs/image");
    CHECK(few.found == "39 rows for 8 devices");
    CHECK(few.hint == "use at most 7 devices");
    const ConfigError early = error_of<ConfigError>([&] { run_job(folder, job({{"iterations", 3}, {"stop_below", 0.01}}), 2); });
    CHECK(early.pointer == "/steps/0/stop_below");
    const UnsupportedError variant = error_of<UnsupportedError>([&] {
        run_job(folder, job({{"iterations", 3}, {"variant", "global"}}), 2);
    });
    CHECK(contains(variant.what(), "runs on one device"));
    CHECK_FALSE(fs::exists(folder / "out.npy"));
}

TEST_CASE("diffusion on ranks: a device that lacks rank 0's variant is told with whose choice it was and what to try") {
    const TempFolder folder;
    io::write(folder / "in.npy", image(64, 64));
    engine::Engine native(open_for_test(host::enumerate().native()), engine::registry_with_peers());
    const auto refusal = [&](engine::Engine& first, engine::Engine& other, const Json& step) {
        engine::Locations where;
        where.job_folder = where.out = folder.path();
        const engine::Job parsed = engine::parse_job(job(step), first.registry().algorithms());
        const engine::Prepared prepared = engine::prepare(parsed, where, true);
        const auto run = [&] { engine::distributed::run_on_devices(prepared, {&first, &other}); };
        return std::string(error_of<UnsupportedError>(run).what());
    };
    const std::string by_kernels = refusal(shared_engine(), native, {{"iterations", 3}});
    CAPTURE(by_kernels);
    CHECK(contains(by_kernels, "rank 1 cannot compute as rank 0 does, by diffusion_lb variant"));
    CHECK(contains(by_kernels, "rank 0 chose it for its own device"));
    CHECK(contains(by_kernels, "name with \"variant\" one that all of them have"));
    const std::size_t from = by_kernels.find('"') + 1;
    const std::string variant = by_kernels.substr(from, by_kernels.find('"', from) - from);
    const std::string named = refusal(shared_engine(), native, {{"iterations", 3}, {"variant", variant}});
    CAPTURE(named);
    CHECK(contains(named, "rank 1 cannot compute as rank 0 does, by diffusion_lb variant \"" + variant + "\""));
    CHECK(contains(named, "the job names it"));
    CHECK_FALSE(fs::exists(folder / "out.npy"));
}

TEST_CASE("rounds: what must be right shrinks to nothing") {
    engine::diffusion_lb::LbParameters p;
    p.iterations = 7;
    p.update_edges_every = 2;
    const lb::Round round = lb::round_from({p, lb::Pairs::none}, 0, 3);   // steps with edges, without, with
    REQUIRE(round.launches.size() == 3);
    CHECK(round.end() == 3);
    CHECK(round.launches[2].wider == 0);
    CHECK(round.launches[1].wider == 5);    // sigma 1: a gradient looks 5 rows far
    CHECK(round.launches[0].wider == 6);
    CHECK(round.before.intensity == 11);
    CHECK(round.before.populations == 0);   // which the first step does not read
    const lb::Round later = lb::round_from({p, lb::Pairs::none}, 3, 1);
    CHECK(later.before.intensity == 1);
    CHECK(later.before.edges == 1);
}
