// From files to files: a job built in code.
//
//   file_to_file HOLOGRAM OUT_FOLDER     reconstructs 1000 um away and writes OUT_FOLDER/amplitude.tif and even.png
#include <parallax/parallax.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: file_to_file HOLOGRAM OUT_FOLDER\n");
        return 2;
    }
    try {
        parallax::Job job;
        job.input("hologram", argv[1])
            .step(parallax::HologramParameters{.wavelength_nm = 532, .pixel_um = 1.4, .distance_um = 1000})
            .step(parallax::ConvertParameters{.percentiles = parallax::ConvertParameters::Percentiles{.low = 0.5, .high = 99.5}},
                  {.in = {{"image", "amplitude"}}, .out = {{"image", "grey"}}})
            .output("amplitude", "amplitude.tif")
            .output("grey", "grey.png");

        parallax::JobOptions options;
        options.out = argv[2];
        options.overwrite = true;
        options.progress = [](const std::string& stage, double done) {
            std::fprintf(stderr, "%3.0f%% %s\n", 100 * done, stage.c_str());
        };
        parallax::Engine engine;
        const std::string report = engine.run(job, options);
        std::printf("%s\n", report.c_str());
        return 0;
    } catch (const parallax::ConfigError& error) {
        std::fprintf(stderr, "the request was wrong: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
