// A live loop: a camera fills a ring buffer, holograms are reconstructed as they come, and latency is measured.
//
//   live_frames [--frames N] [--fps F] [--wait] [--size PIXELS] [--device SPEC]
//
// Frames in flight have a slot each: while one is computed, the next goes up and the one before comes down.
//
//   camera -> ring -> [up 3][up 4]    [up 5]
//                     [work 2][work 3][work 4]
//                     [down 1]    [down 2]
//
// When the device cannot keep up, the oldest frame in the ring is dropped; with --wait, the camera waits.
#include <parallax/parallax.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Frame {
    std::size_t number = 0;
    Clock::time_point taken;
    std::vector<std::uint8_t> pixels;
};

/// At most `capacity` frames between two threads.
class Ring {
public:
    Ring(std::size_t capacity, bool drop_oldest) : capacity_(capacity), drop_oldest_(drop_oldest) {}
    void push(Frame frame) {
        std::unique_lock lock(mutex_);
        if (frames_.size() == capacity_) {
            if (drop_oldest_) {
                frames_.pop_front();
                ++dropped_;
            } else {
                room_.wait(lock, [&] { return frames_.size() < capacity_ || closed_; });
            }
        }
        frames_.push_back(std::move(frame));
        filled_.notify_one();
    }
    /// Nothing: the camera has ended. Without `wait`: or there is no frame yet.
    std::optional<Frame> pop(bool wait) {
        std::unique_lock lock(mutex_);
        if (wait) filled_.wait(lock, [&] { return !frames_.empty() || closed_; });
        if (frames_.empty()) return std::nullopt;
        Frame frame = std::move(frames_.front());
        frames_.pop_front();
        room_.notify_one();
        return frame;
    }
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        filled_.notify_all();
        room_.notify_all();
    }
    bool ended() {
        const std::lock_guard lock(mutex_);
        return closed_ && frames_.empty();
    }
    std::size_t dropped() {
        const std::lock_guard lock(mutex_);
        return dropped_;
    }

private:
    std::size_t capacity_, dropped_ = 0;
    bool drop_oldest_, closed_ = false;
    std::mutex mutex_;
    std::condition_variable filled_, room_;
    std::deque<Frame> frames_;
};

/// Memory of one frame in flight.
struct Slot {
    parallax::HostArray up, down;
    parallax::Array hologram, amplitude;
    parallax::Event read;
    Clock::time_point taken;
    bool busy = false;
};

struct Options {
    std::size_t frames = 100;
    double fps = 60;
    bool wait = false;
    std::int64_t size = 512;
    std::string device;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] {
            if (i + 1 == argc) throw std::invalid_argument(word + " needs a value");
            return std::string(argv[++i]);
        };
        if (word == "--frames") options.frames = std::stoul(value());
        else if (word == "--fps") options.fps = std::stod(value());
        else if (word == "--size") options.size = std::stol(value());
        else if (word == "--device") options.device = value();
        else if (word == "--wait") options.wait = true;
        else throw std::invalid_argument(word + " is not known");
    }
    return options;
}

double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size() - 1)))];
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    try {
        options = parse(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\nusage: live_frames [--frames N] [--fps F] [--wait] [--size PIXELS] [--device SPEC]\n",
                     error.what());
        return 2;
    }
    try {
        parallax::Engine engine({.device = options.device});
        parallax::Session session(engine);
        const auto frame = parallax::ArrayDesc::dense(parallax::ElementType::u8, {{'y', options.size}, {'x', options.size}});
        const auto image = frame.with_type(parallax::ElementType::f32);
        const parallax::HologramParameters reconstruct{.wavelength_nm = 532, .pixel_um = 1.4, .distance_um = 1000};

        std::vector<Slot> slots(3);
        for (Slot& slot : slots)
            slot = {
                session.pinned(frame), session.pinned(image), session.allocate(frame), session.allocate(image), {}, {}, false};
        // Everything is compiled and warm before the first frame.
        session
            .prepare(
                {parallax::call(reconstruct, {{"hologram", slots[0].hologram}}, {.into = {{"amplitude", slots[0].amplitude}}})})
            .wait();

        Ring ring(4, !options.wait);
        std::thread camera([&] {
            const auto start = Clock::now();
            for (std::size_t i = 0; i < options.frames; ++i) {
                std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(
                                                          std::chrono::duration<double>(static_cast<double>(i) / options.fps)));
                std::vector<std::uint8_t> pixels(static_cast<std::size_t>(options.size * options.size));
                for (std::size_t p = 0; p < pixels.size(); ++p) pixels[p] = static_cast<std::uint8_t>(128 + (p * 7 + i) % 13);
                ring.push({i, Clock::now(), std::move(pixels)});
            }
            ring.close();
        });

        std::vector<double> latencies;
        const auto finish = [&](Slot& slot) {
            if (!slot.busy) return;
            slot.read.wait();
            slot.busy = false;   // here, slot.down has the picture
            latencies.push_back(std::chrono::duration<double, std::milli>(Clock::now() - slot.taken).count());
        };
        std::exception_ptr problem;
        const auto start = Clock::now();
        try {
            std::size_t next = 0;
            while (!ring.ended()) {
                Slot& slot = slots[next % slots.size()];
                finish(slot);   // the oldest in flight
                const bool idle = std::none_of(slots.begin(), slots.end(), [](const Slot& s) { return s.busy; });
                std::optional<Frame> taken = ring.pop(idle);
                if (!taken) {   // nothing new: give what is in flight to whoever waits for it
                    for (std::size_t i = 1; i < slots.size(); ++i) {
                        Slot& oldest = slots[(next + i) % slots.size()];
                        if (oldest.busy) {
                            finish(oldest);
                            break;
                        }
                    }
                    continue;
                }
                std::memcpy(slot.up.data(), taken->pixels.data(), taken->pixels.size());
                const parallax::Event up = session.write(slot.hologram, slot.up);
                const parallax::Pending work = session.submit(parallax::call(
                    reconstruct, {{"hologram", slot.hologram}}, {.into = {{"amplitude", slot.amplitude}}, .wait = {up}}));
                slot.read = session.read(slot.amplitude, slot.down, {{work.done()}});
                slot.taken = taken->taken;
                slot.busy = true;
                ++next;
            }
            for (std::size_t i = 0; i < slots.size(); ++i) finish(slots[(next + i) % slots.size()]);
        } catch (...) {
            problem = std::current_exception();
            ring.close();
        }
        camera.join();
        if (problem) std::rethrow_exception(problem);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        std::printf("%s: %zu frames of %lld x %lld in %.2f s, %zu dropped; latency median %.2f ms, 99%% %.2f ms\n",
                    engine.device().name.c_str(), latencies.size(), static_cast<long long>(options.size),
                    static_cast<long long>(options.size), seconds, ring.dropped(), quantile(latencies, 0.5),
                    quantile(latencies, 0.99));
        return latencies.size() + ring.dropped() == options.frames ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
