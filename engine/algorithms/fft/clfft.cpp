// clFFT (Apache-2.0), as it is: sizes with prime factors up to 13, kernels of its own that no program cache keeps.
#ifdef PARALLAX_HAS_CLFFT

#include "algorithms/fft/libraries.hpp"

#include "opencl/native.hpp"
#include "parallax/host/error.hpp"
#include "support/late.hpp"
#include "support/platform.hpp"

#include <clFFT.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <limits>
#include <mutex>
#include <streambuf>
#include <utility>

namespace parallax::engine::fft {
namespace {

/// libclFFT, opened at the first question whether it can be used: it is linked to the OpenCL loader, which not every machine has.
struct Clfft {
    static const Clfft& get() {
        static const Clfft* const opened = new Clfft;   // to the end, as what it keeps
        return *opened;
    }
    /// Asked for only where nothing is missing.
    static void* find(const char* name) noexcept { return get().library.symbol(name); }
    template <class Result> static Result answer(const char* name) {
        throw UnsupportedError("clFFT cannot be used", {fmt::format("its library has no {}", name)});
    }

    std::string problem;   // before the library, whose opening sets it
    host::platform::SharedLibrary library = host::platform::SharedLibrary::open(PARALLAX_CLFFT_LIBRARY, problem);
};

// As they are called below.
#define PARALLAX_LATE(name) constexpr auto& name = host::Late<Clfft, #name, decltype(::name)>::call
PARALLAX_LATE(clfftBakePlan);
PARALLAX_LATE(clfftCreateDefaultPlan);
PARALLAX_LATE(clfftDestroyPlan);
PARALLAX_LATE(clfftEnqueueTransform);
PARALLAX_LATE(clfftGetTmpBufSize);
PARALLAX_LATE(clfftSetLayout);
PARALLAX_LATE(clfftSetPlanBatchSize);
PARALLAX_LATE(clfftSetPlanDistance);
PARALLAX_LATE(clfftSetPlanInStride);
PARALLAX_LATE(clfftSetPlanOutStride);
PARALLAX_LATE(clfftSetResultLocation);
PARALLAX_LATE(clfftSetup);
PARALLAX_LATE(clfftTeardown);
#undef PARALLAX_LATE

void check(clfftStatus status, const char* call, const std::string& step) {
    if (status == CLFFT_SUCCESS) return;
    const std::string name = status <= CL_SUCCESS && status > -4096 ? std::string(host::opencl::code_name(status))
                                                                    : fmt::format("clfftStatus {}", static_cast<int>(status));
    throw DeviceError(call, status, name, step, "use \"fft\": \"radix\"");
}

/// Stands in for the buffer of std::cout or std::cerr: what a thread prints while it is silent is kept, all else goes on as
/// before.
class Hush final : public std::streambuf {
public:
    explicit Hush(std::ostream& stream) : pass_(stream), own_(stream.rdbuf(this)) {}
    ~Hush() override { pass_.rdbuf(own_); }

    /// clFFT prints the log of a kernel that does not compile.
    class Silence {
    public:
        Silence() : before_(std::exchange(kept_, &text_)) {}
        ~Silence() { kept_ = before_; }
        Silence(const Silence&) = delete;
        Silence& operator=(const Silence&) = delete;
        const std::string& text() const noexcept { return text_; }
    private:
        std::string text_;
        std::string* before_;
    };

private:
    int overflow(int c) override {
        if (kept_ == nullptr) return own_->sputc(static_cast<char>(c));
        if (c != traits_type::eof()) kept_->push_back(static_cast<char>(c));
        return traits_type::not_eof(c);
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        if (kept_ == nullptr) return own_->sputn(text, count);
        kept_->append(text, static_cast<std::size_t>(count));
        return count;
    }
    int sync() override { return kept_ == nullptr ? own_->pubsync() : 0; }

    static thread_local std::string* kept_;
    std::ostream& pass_;
    std::streambuf* own_;
};
thread_local std::string* Hush::kept_ = nullptr;

/// The first line that says something, of what clFFT or the driver printed.
std::string first_line(const std::string& text) {
    const auto start = text.find("error:");
    const auto from = start == std::string::npos ? text.find_first_not_of(" \t\r\n*-=") : text.rfind('\n', start) + 1;
    return from == std::string::npos ? std::string()
                                     : text.substr(from, std::min<std::size_t>(text.find('\n', from) - from, 200));
}

/// clFFT keeps its plans in one table of the process, which clfftSetup() makes and clfftTeardown() destroys, with all plans of
/// everyone. So the first transform of the process makes it, and the last one to go takes it away.
class Library {
public:
    static std::shared_ptr<Library> get() {
        static std::mutex mutex;
        static auto& shared = *new std::weak_ptr<Library>;   // to the end
        const std::lock_guard lock(mutex);
        auto library = shared.lock();
        if (!library) {
            library = std::make_shared<Library>();
            shared = library;
        }
        return library;
    }
    Library() {
        clfftSetupData data;
        clfftInitSetupData(&data);
        check(clfftSetup(&data), "clfftSetup", "start clFFT");
    }
    ~Library() { clfftTeardown(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

private:
    Hush output_{std::cout}, errors_{std::cerr};
};

/// clFFT gives the event of its last kernel only: the time of a transform runs from the end of what came before.
class Span final : public host::EventState {
public:
    Span(host::Event before, host::Event last) : before_(std::move(before)), last_(std::move(last)) {}
    void wait() override { last_.wait(); }
    bool complete() const override { return last_.complete(); }
    std::optional<host::EventTimes> times() const override {
        const auto before = before_.times();
        auto last = last_.times();
        if (!before || !last) return std::nullopt;
        last->started = before->ended;
        return last;
    }

private:
    host::Event before_, last_;
};

class ClfftTransform final : public Transform {
public:
    ClfftTransform(PlanBuilder& builder, const TransformSpec& spec) : spec_(spec), library_(Library::get()) {
        const cl_context context = host::opencl::context_handle(builder.context());
        const std::array<std::size_t, 2> lengths{static_cast<std::size_t>(spec.width), static_cast<std::size_t>(spec.height)};
        check(clfftCreateDefaultPlan(&plan_, context, spec.height > 1 ? CLFFT_2D : CLFFT_1D, lengths.data()),
              "clfftCreateDefaultPlan", describe());
        try {
            bake(builder);
        } catch (...) {
            clfftDestroyPlan(&plan_);
            throw;
        }
    }

    ~ClfftTransform() override { clfftDestroyPlan(&plan_); }
    ClfftTransform(const ClfftTransform&) = delete;
    ClfftTransform& operator=(const ClfftTransform&) = delete;

    void enqueue(Execution& execution, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        const host::Buffer temporary = temporary_bytes_ > 0 ? execution.buffer(temporary_) : host::Buffer();
        const host::Buffer* from = &in;
        if (spec_.kind == Kind::c2c && !(in == out)) {
            execution.copy("fft clfft copy", in, out, spectrum_bytes());
            from = &out;
        } else if (spec_.kind == Kind::c2r) {
            execution.copy("fft clfft copy", in, execution.buffer(work_), spectrum_bytes());
            from = &execution.buffer(work_);
        }
        execution.external("fft clfft", append(execution.queue(), *from, out, temporary, direction));
    }

    std::string describe() const override { return fmt::format("clfft ({} x {})", spec_.width, spec_.height); }

private:
    std::size_t elements(std::int64_t row) const { return static_cast<std::size_t>(row * spec_.height * spec_.batch); }
    std::size_t spectrum_bytes() const { return 8 * elements(spec_.kind == Kind::c2c ? spec_.width : spec_.width / 2 + 1); }
    std::size_t real_bytes() const { return 4 * elements(spec_.width); }

    void bake(PlanBuilder& builder) {
        const auto width = static_cast<std::size_t>(spec_.width), half_width = width / 2 + 1,
                   height = static_cast<std::size_t>(spec_.height);
        const clfftDim dimensions = spec_.height > 1 ? CLFFT_2D : CLFFT_1D;
        const std::size_t in_row = spec_.kind == Kind::c2r ? half_width : width,
                          out_row = spec_.kind == Kind::r2c ? half_width : width;
        const clfftLayout in = spec_.kind == Kind::c2c   ? CLFFT_COMPLEX_INTERLEAVED
                               : spec_.kind == Kind::r2c ? CLFFT_REAL
                                                         : CLFFT_HERMITIAN_INTERLEAVED;
        const clfftLayout out = spec_.kind == Kind::c2c   ? CLFFT_COMPLEX_INTERLEAVED
                                : spec_.kind == Kind::r2c ? CLFFT_HERMITIAN_INTERLEAVED
                                                          : CLFFT_REAL;
        std::array<std::size_t, 2> in_strides{1, in_row}, out_strides{1, out_row};
        const std::string step = "plan " + describe();
        check(clfftSetLayout(plan_, in, out), "clfftSetLayout", step);
        check(clfftSetResultLocation(plan_, spec_.kind == Kind::c2c ? CLFFT_INPLACE : CLFFT_OUTOFPLACE), "clfftSetResultLocation",
              step);
        check(clfftSetPlanInStride(plan_, dimensions, in_strides.data()), "clfftSetPlanInStride", step);
        check(clfftSetPlanOutStride(plan_, dimensions, out_strides.data()), "clfftSetPlanOutStride", step);
        check(clfftSetPlanDistance(plan_, in_row * height, out_row * height), "clfftSetPlanDistance", step);
        check(clfftSetPlanBatchSize(plan_, static_cast<std::size_t>(spec_.batch)), "clfftSetPlanBatchSize", step);
        cl_command_queue queue = host::opencl::queue_handle(builder.queue());
        check(clfftBakePlan(plan_, 1, &queue, nullptr, nullptr), "clfftBakePlan", step);
        check(clfftGetTmpBufSize(plan_, &temporary_bytes_), "clfftGetTmpBufSize", step);
        if (temporary_bytes_ > 0) temporary_ = builder.scratch(temporary_bytes_);
        if (spec_.kind == Kind::c2r) work_ = builder.scratch(spectrum_bytes());   // it writes into its input

        // Drivers compile at the first launch.
        const host::Buffer from = builder.context().allocate(spec_.kind == Kind::r2c ? real_bytes() : spectrum_bytes());
        const host::Buffer to = spec_.kind == Kind::c2c
                                    ? from
                                    : builder.context().allocate(spec_.kind == Kind::c2r ? real_bytes() : spectrum_bytes());
        const host::Buffer temporary = temporary_bytes_ > 0 ? builder.context().allocate(temporary_bytes_) : host::Buffer();
        if (spec_.kind != Kind::c2r) append(builder.queue(), from, to, temporary, Direction::forward);
        if (spec_.kind != Kind::r2c) append(builder.queue(), from, to, temporary, Direction::inverse);
        builder.queue().finish();
    }

    host::Event append(host::Queue& queue, const host::Buffer& in, const host::Buffer& out, const host::Buffer& temporary,
                       Direction direction) {
        cl_command_queue handle = host::opencl::queue_handle(queue);
        cl_mem from = host::opencl::memory_handle(in), to = host::opencl::memory_handle(out);
        cl_event before = nullptr, last = nullptr;
        host::opencl::check_command(queue, clEnqueueMarkerWithWaitList(handle, 0, nullptr, &before),
                                    "clEnqueueMarkerWithWaitList", "fft clfft");
        host::Event start = host::opencl::make_event(queue, before, "fft clfft");
        check(clfftEnqueueTransform(plan_, direction == Direction::inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1, &handle, 0,
                                    nullptr, &last, &from, &to, temporary ? host::opencl::memory_handle(temporary) : nullptr),
              "clfftEnqueueTransform", "launch " + describe());
        return host::Event(std::make_shared<Span>(std::move(start), host::opencl::make_event(queue, last, "fft clfft")));
    }

    TransformSpec spec_;
    std::shared_ptr<Library> library_;   // before the plan, so that it goes after it
    clfftPlanHandle plan_ = 0;
    std::size_t temporary_bytes_ = 0;
    Scratch temporary_, work_;
};

}  // namespace

std::string clfft_why_not(const TransformSpec& spec, host::Context& context) {
    if (context.info().backend != host::Backend::opencl)
        return fmt::format("clfft is built for OpenCL; the device is {}", host::to_string(context.info().backend));
    if (spec.kind == Kind::dct) return "clfft has no cosine transforms";
    for (const std::int64_t length : {spec.width, spec.height}) {
        std::int64_t rest = length;
        for (const int p : {2, 3, 5, 7, 11, 13}) while (rest % p == 0) rest /= p;
        if (rest != 1) return fmt::format("clfft takes lengths with prime factors up to 13; {} has {}", length, rest);
    }
    if (!Clfft::get().problem.empty()) return fmt::format("clFFT's library cannot be loaded: {}", Clfft::get().problem);
    if (spec.width < 2) return "clfft takes rows of 2 elements or more";
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    if (spec.width * spec.height * spec.batch > limit)
        return fmt::format("clfft counts elements in 32 bits; {} x {} x {} is too many", spec.batch, spec.height, spec.width);
    return {};
}

std::unique_ptr<Transform> make_clfft(PlanBuilder& builder, const TransformSpec& spec) {
    const Hush::Silence silence;
    try {
        return std::make_unique<ClfftTransform>(builder, spec);
    } catch (const DeviceError& error) {
        if (error.call == "clCreateBuffer" || !builder.context().failure().empty()) throw;   // ours: no memory, no device
        const std::string said = first_line(silence.text());
        throw UnsupportedError(
            fmt::format("clFFT cannot plan a transform of {} x {} on {}", spec.width, spec.height, builder.device().name),
            {fmt::format("clfft: {} gave {} on this driver{}; use \"fft\": \"radix\"", error.call, error.code_name,
                         said.empty() ? "" : ": " + said)});
    }
}

}  // namespace parallax::engine::fft

#endif
