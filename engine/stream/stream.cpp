#include "stream/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "core/clock.hpp"
#include "exec/channel.hpp"
#include "exec/resident.hpp"
#include "io/format.hpp"
#include "io/transaction.hpp"
#include "job/prepare.hpp"
#include "job/read.hpp"
#include "stream/frames.hpp"
#include "stream/outlet.hpp"

namespace parallax::engine::stream {
namespace {

using namespace std::string_literals;

bool is_pipe(const InputSpec& input) { return input.files.size() == 1 && input.files.front() == "-"; }
bool is_pipe(const OutputSpec& output) { return output.file == "-"; }

/// A frame on its way.
struct Frame : DeviceWork {
    std::chrono::steady_clock::time_point came;
};
using FramePtr = std::unique_ptr<Frame>;

Kind kind_of(const OutputSpec& output, Kind input) {
    if (output.write.format == "raw") return Kind::raw;
    if (output.write.format == "pgm") return Kind::pgm;
    return output.write.format == "y4m" ? Kind::y4m : input;
}

const InputSpec& pipe_in(const Job& job) {
    return *std::find_if(job.inputs.begin(), job.inputs.end(), [](const InputSpec& i) { return is_pipe(i); });
}
const OutputSpec& pipe_out(const Job& job) {
    return *std::find_if(job.outputs.begin(), job.outputs.end(), [](const OutputSpec& o) { return is_pipe(o); });
}

/// What the job computes with, of a frame that is read. Grey of channels that are no colours is a mistake of the job's.
ArrayDesc taken_of(const InputSpec& input, const ArrayDesc& frame) {
    try {
        return io::greyed("standard input", frame, io::raw::colour_of(frame), input.read);
    } catch (const IoError& error) {
        throw ConfigError(input.pointer + "/grey", fmt::format("{}, which {}", frame.describe(), error.problem),
                          "red, green, blue, with alpha behind them or not", error.hint);
    }
}

/// One frame as what is read for the input, which says the spacing of all.
PreparedInput frame_of(const InputSpec& input, const ArrayDesc& frame) {
    ArrayDesc taken = taken_of(input, frame);
    std::vector<std::string> warnings = told_of_spacing(taken, input);
    return {{"-"}, {}, with_stated_spacing(std::move(taken), input), std::move(warnings)};
}

/// The job with one frame in the place of the stream; other inputs are looked at.
Prepared prepared_for(const Job& job, const Locations& where, const ArrayDesc& frame) {
    Prepared prepared;
    prepared.job = job;
    prepared.out = where.out;
    prepared.confined = where.confined;
    std::vector<ResolvedInput> arrays;
    for (const InputSpec& input : job.inputs) {
        const bool pipe = is_pipe(input);
        if (pipe) prepared.inputs.push_back(frame_of(input, frame));
        else prepared.inputs.push_back(prepare_input(input, where));
        arrays.push_back({prepared.inputs.back().desc,
                          pipe ? "a frame of a stream comes as a whole" : "it is kept for all frames", 0});
    }
    prepared.resolved = resolve(job.pipeline(), std::move(arrays));
    return prepared;
}

/// A writer of the results of frames whose layout the job states: what it cannot hold is a mistake of the job's.
FrameWriter stated_writer(const OutputSpec& output, const ArrayDesc& desc) {
    const Kind kind = kind_of(output, Kind::raw);
    try {
        return {kind, desc, output.write, {}};
    } catch (const IoError& error) {
        const char* const name = kind == Kind::raw ? "raw" : kind == Kind::pgm ? "pgm" : "y4m";
        throw ConfigError(output.pointer, fmt::format("\"-\" as \"{}\" for {}", name, desc.describe()),
                          "frames that it can hold", fmt::format("{}; {}", error.problem, error.hint));
    }
}

/// Whether a first byte comes in time; it is still to be read then.
bool has_begun(Pipe& pipe, int descriptor) {
    try {
        if (descriptor < 0 || !pipe.byte()) return false;
    } catch (const CancelledError&) {
        return false;
    }
    pipe.put_back();
    return true;
}

class Run {
public:
    Run(const Job& job, const Locations& where, Engine& engine, const Options& options)
        : job_(job),
          options_(options),
          pipe_(options.input, [this] { return ended_ || (options_.cancelled && options_.cancelled()); }),
          outlet_(options.output, options.cancelled),
          resident_(engine, Resident::overlapped),
          decoded_(static_cast<std::size_t>(options.in_flight)),
          computed_(static_cast<std::size_t>(options.in_flight)) {
        if (are_one_file(options.input, options.output))
            throw IoError("standard output", "is the file that standard input is", "write to another file");
        const InputSpec& input = pipe_in(job);
        const OutputSpec& output = pipe_out(job);
        source_ = static_cast<std::size_t>(&input - job.inputs.data());
        sink_ = output.source;
        reader_ = std::make_unique<FrameReader>(pipe_, input.read.raw);
        desc_ = taken_of(input, reader_->desc());
        Prepared prepared = prepared_for(job, where, reader_->desc());
        stated_ = prepared.inputs[source_].desc;
        const ArrayDesc& result = prepared.resolved.desc(sink_);
        const Kind kind = kind_of(output, reader_->kind());
        writer_ = std::make_unique<FrameWriter>(input.read.raw ? stated_writer(output, result)
                                                               : FrameWriter(kind, result, output.write, reader_->words()));
        for (std::size_t i = 0; i < job.inputs.size(); ++i) {
            for (const std::string& warning : prepared.inputs[i].warnings)
                told_.insert(InputWarning{job.inputs[i].name, warning}.in_words());
            if (i == source_) continue;
            InputWarnings warnings;
            kept_.emplace_back(i, read_input(job.inputs[i], prepared.inputs[i], job.non_finite, {}, warnings));
            for (const InputWarning& warning : warnings) told_.insert(warning.in_words());
        }
        resolved_ = std::make_shared<const Resolved>(std::move(prepared.resolved));
        resident_.plan(*resolved_);
    }

    Result run() {
        const auto began = std::chrono::steady_clock::now();
        std::thread reading([this] { guarded([this] { read(); }, decoded_); });
        std::thread writing([this] { guarded([this] { write(); }, computed_); });
        guarded([this] { compute(); }, computed_);
        ended_ = true;
        decoded_.close();
        reading.join();
        writing.join();
        result_.seconds = seconds_since(began);
        result_.steps = resident_.steps();
        result_.warnings = reader_->warnings();
        result_.stopped = options_.cancelled && options_.cancelled();
        for (const ResolvedStep& step : resolved_->steps)
            result_.warnings.insert(result_.warnings.end(), step.warnings.begin(), step.warnings.end());
        for (const std::string& warning : told_) result_.warnings.push_back(warning);
        std::sort(result_.latencies.begin(), result_.latencies.end());
        if (!broken_ && result_.frames == 0 && !result_.stopped && !result_.closed)
            throw IoError("standard input", "ended before the first frame", "what should write it may have failed");
        if (broken_ && !result_.stopped && !result_.closed) std::rethrow_exception(broken_);
        return std::move(result_);
    }

private:
    template <class Work, class Between>
    void guarded(const Work& work, Between& after) {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!broken_) broken_ = std::current_exception();
        }
        after.close();
    }

    void read() {
        const bool grey = desc_ != reader_->desc();
        for (;;) {
            HostArray array = resident_.host_array(reader_->desc());
            if (ended_ || (options_.cancelled && options_.cancelled()) || !reader_->read(array.data())) return;
            auto frame = std::make_unique<Frame>();
            frame->came = pipe_.last();
            if (grey) {
                HostArray light = resident_.host_array(desc_);
                io::to_luminance(array.desc, array.data(), light.data(), io::raw::colour_of(array.desc));
                array = std::move(light);
            }
            array.desc = stated_;
            apply_non_finite(array, job_.non_finite, fmt::format("frame {} of standard input", read_++));
            frame->pipeline = resolved_;
            frame->inputs.resize(job_.inputs.size());
            frame->inputs[source_] = std::move(array);
            if (!decoded_.push(std::move(frame))) return;
        }
    }

    void compute() {
        for (const auto& [input, array] : kept_) {
            Profiler profiler;
            resident_.keep(input, array, profiler);
        }
        std::deque<FramePtr> flying;
        for (;;) {
            while (flying.size() < static_cast<std::size_t>(options_.in_flight)) {
                std::optional<FramePtr> next = flying.empty() ? decoded_.pop() : decoded_.try_pop();
                if (!next) break;
                resident_.submit(**next);
                flying.push_back(std::move(*next));
            }
            if (flying.empty()) return;
            FramePtr frame = std::move(flying.front());
            flying.pop_front();
            resident_.finish(*frame);
            if (!computed_.push(std::move(frame))) return;
        }
    }

    void write() {
        while (std::optional<FramePtr> next = computed_.pop()) {
            for (const DataWarning& warning : (*next)->warnings) {
                const std::lock_guard lock(mutex_);
                told_.insert(fmt::format("step \"{}\": {}", job_.steps[warning.step].id, warning.text));
            }
            const std::string bytes = writer_->bytes_of((*next)->arrays.at(sink_));
            io::Transaction::count("a frame for standard output", bytes.size());
            if (!outlet_.put(bytes)) {
                result_.closed = ended_ = true;
                return;
            }
            result_.latencies.push_back(seconds_since((*next)->came));
            if (options_.progress)
                options_.progress(++result_.frames);
            else
                ++result_.frames;
        }
    }

    const Job& job_;
    const Options& options_;
    Pipe pipe_;
    Outlet outlet_;
    std::unique_ptr<FrameReader> reader_;
    std::unique_ptr<FrameWriter> writer_;
    Resident resident_;
    ArrayDesc desc_, stated_;   ///< of a frame: as it is read, with what the job states
    std::size_t source_ = 0, read_ = 0;
    Source sink_;
    std::vector<std::pair<std::size_t, HostArray>> kept_;
    std::shared_ptr<const Resolved> resolved_;
    Channel<FramePtr> decoded_, computed_;
    std::atomic<bool> ended_{false};
    std::mutex mutex_;
    std::exception_ptr broken_;
    std::set<std::string> told_;
    Result result_;
};

}   // namespace

bool is_stream(const Job& job) {
    return std::any_of(job.inputs.begin(), job.inputs.end(), [](const InputSpec& i) { return is_pipe(i); }) ||
           std::any_of(job.outputs.begin(), job.outputs.end(), [](const OutputSpec& o) { return is_pipe(o); });
}

void check(const Job& job) {
    if (job.for_each)
        throw ConfigError("/for_each", "it beside \"-\"", "one of the two",
                          "frames of standard input are a series by themselves");
    std::size_t inputs = 0, outputs = 0;
    for (const InputSpec& input : job.inputs) {
        if (is_pipe(input) && ++inputs > 1) throw ConfigError(input.pointer, "standard input a second time", "one input \"-\"");
        const io::ReadOptions& read = input.read;
        if (is_pipe(input) &&
            (!read.dataset.empty() || !read.channel.empty() || read.series || read.level || read.page_axis != '\0'))
            throw ConfigError(input.pointer, "a choice of datasets, channels, series, levels or pages of standard input",
                              "frames as they come");
        if (is_pipe(input) && read.raw && read.raw->packed_bits != 0)
            throw ConfigError(input.pointer + "/raw/type",
                              fmt::format("\"mono{}p\" of frames through a pipe", read.raw->packed_bits),
                              "a type of whole bytes an element", "let what writes the frames unpack them to u16");
        if (is_pipe(input) && read.raw && read.raw->offset != 0)
            throw ConfigError(input.pointer + "/raw/offset", fmt::format("{} for frames through a pipe", read.raw->offset),
                              "0, or none", "frames are one directly behind the other: `tail -c +N` passes over what is before");
        if (is_pipe(input) && (input.read.pages || input.read.volume || !input.combine.empty()))
            throw ConfigError(input.pointer, "a choice of pages, or several files combined", "frames as they come");
    }
    for (const OutputSpec& output : job.outputs) {
        if (!is_pipe(output))
            throw ConfigError(output.pointer, fmt::format("the file \"{}\" beside frames on standard output", output.file),
                              "one output, \"-\"",
                              "a job of frames has no other: write them to files by the program behind the pipe");
        if (++outputs > 1) throw ConfigError(output.pointer, "standard output a second time", "one output \"-\"");
    }
    if (inputs == 0)
        throw ConfigError("/inputs", "no input \"-\" for the output \"-\"", "frames on standard input", "\"image\": \"-\"");
    if (outputs == 0)
        throw ConfigError("/outputs", "no output \"-\" for the input \"-\"", "frames on standard output", "\"image\": \"-\"");
}

Prepared prepare(const Job& job, const Locations& where, int descriptor) {
    const InputSpec& input = pipe_in(job);
    const OutputSpec& output = pipe_out(job);
    if (input.read.raw) {
        Prepared prepared = prepared_for(job, where, ArrayDesc::dense(input.read.raw->type, input.read.raw->axes));
        stated_writer(output, prepared.resolved.desc(output.source));
        return prepared;
    }
    const auto began = std::chrono::steady_clock::now();
    Pipe pipe(descriptor, [began] { return seconds_since(began) > 10; });
    const auto none_came = [&] {
        return ConfigError(input.pointer,
                           "frames of standard input, whose shape is known when the first of them comes; none came",
                           "a first frame on standard input, or a shape that the job states",
                           "`camera | parallax plan job.json` reads how a PGM or Y4M begins; " +
                               R"({"file": "-", "raw": {"type": "u8", "axes": "yx", "shape": [480, 640]}} needs no frame)"s);
    };
    if (!has_begun(pipe, descriptor)) throw none_came();
    try {
        FrameReader reader(pipe, std::nullopt);
        Prepared prepared = prepared_for(job, where, reader.desc());
        FrameWriter(kind_of(output, reader.kind()), prepared.resolved.desc(output.source), output.write, reader.words());
        std::vector<std::string>& warnings = prepared.inputs[static_cast<std::size_t>(&input - job.inputs.data())].warnings;
        warnings.insert(warnings.begin(), reader.warnings().begin(), reader.warnings().end());
        return prepared;
    } catch (const CancelledError&) {   // its header has begun and does not end
        throw none_came();
    }
}

Result run(const Job& job, const Locations& where, Engine& engine, const Options& options) {
    try {
        return Run(job, where, engine, options).run();
    } catch (const CancelledError&) {   // before the first frame was there
        Result result;
        result.stopped = true;
        return result;
    }
}

}   // namespace parallax::engine::stream
