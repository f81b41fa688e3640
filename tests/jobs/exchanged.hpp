// What tests share that exchange files beside running jobs.
#pragma once

#include "modes/run.hpp"
#include "support.hpp"

#include <cstdlib>
#include <optional>
#include <string>

namespace parallax::tests {

/// PARALLAX_FLIPS: how often files are exchanged, a few hundred times where it is not set.
inline long asked_flips() {
    const char* const asked = std::getenv("PARALLAX_FLIPS");
    return asked ? std::atol(asked) : 400;
}

/// Another file under the same name.
inline void put_anew(const fs::path& file, const std::string& bytes) {
    const fs::path beside = file.parent_path() / "coming";
    write_text(beside, bytes);
    fs::rename(beside, file);
}

/// A job that copies job/INPUT of a folder, over and over. A refusal names nothing of outside (files there are called
/// "hidden-name...") and leaves no output.
class CopiedBeside {
public:
    CopiedBeside(engine::Engine& engine, const TempFolder& folder, const std::string& input, bool confined)
        : engine_(engine), out_(folder / "out") {
        where_.job_folder = folder / "job";
        where_.out = out_;
        where_.confined = confined;
        where_.synced = false;
        job_ = Json{{"parallax", 1},
                    {"inputs", {{"image", input}}},
                    {"steps", {{{"run", "crop"}, {"variant", "reference"}}}},
                    {"outputs", {{"image", "o.npy"}}}};
    }

    /// What it has written, which goes; nothing where it was refused.
    std::optional<HostArray> run() {
        try {
            const engine::PreparedJob job(engine::parse_job(job_, engine_.registry().algorithms()), where_,
                                          {out_ / "job.series", true, false, {}});
            engine::run(job, {&engine_}, {});
        } catch (const Error& error) {
            ++refused_;
            changed_ += contains(error.what(), "has changed") ? 1 : 0;
            CAPTURE(std::string(error.what()));
            CHECK_FALSE(contains(error.what(), "hidden-name"));
            CHECK_FALSE(fs::exists(out_ / "o.npy"));
            return std::nullopt;
        }
        HostArray array = io::read(out_ / "o.npy");
        fs::remove(out_ / "o.npy");
        return array;
    }
    long refused() const { return refused_; }
    long changed() const { return changed_; }   ///< of them as that

private:
    engine::Engine& engine_;
    fs::path out_;
    engine::Locations where_;
    Json job_;
    long refused_ = 0, changed_ = 0;
};

}   // namespace parallax::tests
