// Frames through a pipe: PGM, PPM, YUV4MPEG2 and raw elements; whatever the bytes, frames or an IoError.
#include "stream/frames.hpp"

#include "file.hpp"
#include "parallax/host/error.hpp"

#include <fcntl.h>
#include <unistd.h>

using namespace parallax;
using namespace parallax::engine;

namespace {

void read_all(int descriptor, const std::optional<io::RawLayout>& raw) {
    lseek(descriptor, 0, SEEK_SET);
    try {
        stream::Pipe pipe(descriptor);
        stream::FrameReader frames(pipe, raw);
        const std::size_t bytes = frames.desc().dense_bytes();
        if (bytes > (16u << 20)) return;
        std::vector<std::byte> frame(bytes);
        while (frames.read(frame.data())) {}
    } catch (const IoError&) {
    }
}

}   // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder;
    folder.write("frames", data, size);
    const int descriptor = open((folder.path() / "frames").c_str(), O_RDONLY | O_CLOEXEC);
    read_all(descriptor, std::nullopt);
    if (size > 4)
        read_all(descriptor, io::RawLayout{.type = data[0] % 2 ? ElementType::u16 : ElementType::u8,
                                           .axes = {{'y', 1 + data[1] % 16}, {'x', 1 + data[2] % 16}},
                                           .big_endian = data[3] % 2 != 0});
    close(descriptor);
    return 0;
}
