// Plans made in the background. A first run, which makes the driver compile what it puts off, happens in a session of its own:
// plans may keep what they find in a frame, and must not find it in an empty one.
#include "api/impl.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

namespace parallax {

struct PARALLAX_LOCAL Preparation::Impl {
    ~Impl() {
        cancelled = true;
        if (thread.joinable()) thread.join();
    }

    std::atomic<bool> cancelled = false, finished = false;
    std::atomic<double> share = 0;
    std::mutex mutex;             ///< for joining
    std::exception_ptr problem;   ///< read after the thread has ended
    std::thread thread;
    std::atomic<std::thread::id> worker;   ///< that of `thread`, which another may be joining
};

namespace {

HostArray zeros(const ArrayDesc& desc) {
    HostArray array = HostArray::make(desc.to_dense());
    std::fill_n(array.data(), array.desc.dense_bytes(), std::byte{0});
    return array;
}

}  // namespace

Preparation::Preparation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Preparation::Preparation(Preparation&&) noexcept = default;
Preparation::~Preparation() = default;
double Preparation::progress() const { return impl_->share; }
bool Preparation::done() const { return impl_->finished; }
void Preparation::cancel() { impl_->cancelled = true; }

void Preparation::wait() {
    if (impl_->worker == std::this_thread::get_id() && !impl_->finished)   // another thread may have its number later
        throw ConfigError("progress", "a wait for its own preparation", "none: it would never end");
    const std::lock_guard lock(impl_->mutex);
    if (impl_->thread.joinable()) impl_->thread.join();
    if (impl_->problem) std::rethrow_exception(impl_->problem);
}

Preparation Session::prepare(std::vector<Call> calls, std::function<void(double)> progress) {
    // Names, parameters and layouts are looked at here, where the caller can be told at once.
    const host::FloatEnvironment ours;   // the thread's, too
    struct Prepared { engine::Call call; engine::ArrayDescs inputs; };
    std::vector<Prepared> list;
    {
        const std::lock_guard lock(impl_->mutex);
        for (const Call& call : calls) {
            Prepared prepared{impl_->resolve(call), {}};
            for (const Inputs* inputs : {&call.inputs, &call.options.inputs}) {
                for (const auto& [name, input] : *inputs) {
                    const ArrayDesc& desc = std::holds_alternative<Array>(input) ? impl_->own(std::get<Array>(input)).desc
                                                                                 : std::get<View>(input).desc;
                    check_view(desc, "", name);
                    prepared.inputs.insert_or_assign(name, desc.to_dense());
                }
            }
            list.push_back(std::move(prepared));
        }
    }

    auto state = std::make_unique<Preparation::Impl>();
    Preparation::Impl* const shared = state.get();
    auto work = [shared, session = impl_.checked(), list = std::move(list), progress = std::move(progress)]() mutable {
        const auto step = [&](std::size_t done) {
            shared->share = list.empty() ? 1.0 : static_cast<double>(done) / static_cast<double>(2 * list.size());
            if (progress) progress(shared->share);
        };
        try {
            for (std::size_t i = 0; i < list.size() && !shared->cancelled; ++i) {
                {
                    engine::Session first(session->core());
                    engine::Call call = list[i].call;
                    for (const auto& [name, desc] : list[i].inputs) call.inputs.emplace(name, first.upload(zeros(desc)));
                    first.run(call);
                }
                step(2 * i + 1);
                if (shared->cancelled) break;
                const std::lock_guard lock(session->mutex);
                session->session.prepare(list[i].call, list[i].inputs);
                step(2 * i + 2);
            }
        } catch (...) {
            shared->problem = std::current_exception();
        }
        session.reset();   // before anybody may think that all is over
        shared->finished = true;
    };
    const auto all = std::make_shared<decltype(work)>(std::move(work));
    try {
        state->thread = std::thread([all, shared] {
            shared->worker = std::this_thread::get_id();
            (*all)();
        });
    } catch (const std::system_error&) {   // none to be had: then now
        (*all)();
    }
    return Preparation(std::move(state));
}

}  // namespace parallax
