#include "io/input.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "io/gzip_members.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io {
namespace {

class FileInput final : public Input {
public:
    FileInput(File file, std::uint64_t at) : file_(std::move(file)) { file_.seek(at); }
    void read(void* to, std::size_t bytes, const char* what) override { file_.read(to, bytes, what); }
    void skip(std::uint64_t bytes, const char*) override { file_.skip(bytes); }
    std::uint64_t finish(std::uint64_t) override { return 0; }

private:
    File file_;
};

class PackedInput final : public Input {
public:
    PackedInput(File file, std::uint64_t at, Packing packing, std::uint64_t stored)
        : file_(std::move(file)), left_(stored), buffer_(1u << 17) {
        file_.seek(at);
        // 32 more: zlib's head or gzip's, whichever is there. A negative number: neither.
        if (inflateInit2(&stream_, packing == Packing::deflate ? -15 : 15 + 32) != Z_OK) throw std::bad_alloc();
        inflateGetHeader(&stream_, &head_);   // which of the two it is
    }
    PackedInput(const PackedInput&) = delete;
    PackedInput& operator=(const PackedInput&) = delete;
    ~PackedInput() override { inflateEnd(&stream_); }

    void read(void* to, std::size_t bytes, const char* what) override {
        if (read_some(to, bytes, what) == bytes) return;
        throw IoError(file_.name(), fmt::format("its compressed data end inside {}", what),
                      "the file is cut off or its header is damaged: write or copy it again");
    }
    void skip(std::uint64_t bytes, const char* what) override {
        std::vector<std::byte> sink(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1u << 17)));
        while (bytes > 0) {
            const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sink.size()));
            read(sink.data(), part, what);
            bytes -= part;
        }
    }
    std::uint64_t finish(std::uint64_t most) override {
        std::vector<std::byte> sink(1u << 17);
        std::uint64_t passed = 0;
        while (const std::size_t got = read_some(sink.data(), sink.size(), "its end")) {
            if ((passed += got) > most)
                throw IoError(file_.name(),
                              fmt::format("its compressed data go on for more than {} bytes behind its elements", most),
                              "the header or the file is damaged: write it again");
        }
        return passed;
    }

private:
    std::size_t read_some(void* to, std::size_t bytes, const char* what) {
        std::size_t done = 0;
        while (done < bytes && !ended_) {
            if (stream_.avail_in == 0 && !refill())
                throw IoError(file_.name(), fmt::format("its compressed data end inside {}", what),
                              "the file is cut off: write or copy it again");
            const auto part = static_cast<unsigned>(std::min<std::size_t>(bytes - done, 1u << 30));
            stream_.next_out = static_cast<unsigned char*>(to) + done;
            stream_.avail_out = part;
            const int code = inflate(&stream_, Z_NO_FLUSH);
            done += part - stream_.avail_out;
            ended_ = code == Z_STREAM_END && !goes_on();
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
                throw IoError(file_.name(),
                              fmt::format("its compressed data are damaged in {}: {}", what,
                                          stream_.msg ? stream_.msg : "zlib says no more"),
                              "write or copy the file again");
        }
        return done;
    }

    /// More of the file behind what is left in the buffer. False: there is no more.
    bool refill() {
        if (stream_.avail_in > 0) std::memmove(buffer_.data(), stream_.next_in, stream_.avail_in);
        const std::size_t room = buffer_.size() - stream_.avail_in;
        const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, room));
        const std::size_t got = most == 0 ? 0 : file_.read_some(buffer_.data() + stream_.avail_in, most);
        left_ -= got;
        stream_.next_in = buffer_.data();
        stream_.avail_in += static_cast<unsigned>(got);
        return got > 0;
    }

    /// Behind the end of a member: begins the next one, if there is one.
    bool goes_on() {
        if (head_.done != 1) return false;   // zlib's, or none
        while (stream_.avail_in < 2 && refill()) {
        }
        return begin_next_member(stream_);
    }

    File file_;
    std::uint64_t left_;   ///< bytes of the file
    std::vector<unsigned char> buffer_;
    z_stream stream_{};
    gz_header head_{};   ///< done is 1 behind gzip's, the first member's
    bool ended_ = false;
};

class ChainedInput final : public Input {
public:
    ChainedInput(std::vector<std::unique_ptr<Input>> inputs, std::uint64_t each)
        : inputs_(std::move(inputs)), each_(each), left_(each) {}
    void read(void* to, std::size_t bytes, const char* what) override {
        auto* at = static_cast<std::byte*>(to);
        pass(bytes, [&](Input& input, std::uint64_t part) {
            input.read(at, static_cast<std::size_t>(part), what);
            at += part;
        });
    }
    void skip(std::uint64_t bytes, const char* what) override {
        pass(bytes, [&](Input& input, std::uint64_t part) { input.skip(part, what); });
    }
    /// One measure for all: they may be one file, named a thousand times.
    std::uint64_t finish(std::uint64_t most) override {
        std::uint64_t passed = 0;
        for (const auto& input : inputs_) passed += input->finish(most - passed);
        return passed;
    }

private:
    template <class Work>
    void pass(std::uint64_t bytes, const Work& work) {
        while (bytes > 0) {
            if (left_ == 0) ++current_, left_ = each_;
            const std::uint64_t part = std::min(bytes, left_);
            work(*inputs_.at(current_), part);
            left_ -= part;
            bytes -= part;
        }
    }
    std::vector<std::unique_ptr<Input>> inputs_;
    std::uint64_t each_, left_;
    std::size_t current_ = 0;
};

}   // namespace

std::unique_ptr<Input> open_input(File file, std::uint64_t at, Packing packing, std::uint64_t stored) {
    if (packing == Packing::none) return std::make_unique<FileInput>(std::move(file), at);
    return std::make_unique<PackedInput>(std::move(file), at, packing, stored);
}

std::unique_ptr<Input> chain_inputs(std::vector<std::unique_ptr<Input>> inputs, std::uint64_t bytes_of_each) {
    if (inputs.size() == 1) return std::move(inputs.front());
    return std::make_unique<ChainedInput>(std::move(inputs), bytes_of_each);
}

}   // namespace parallax::io
