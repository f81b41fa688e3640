// A host application whose threads open their engines all at the same time, the first of the process.
//   calling_threads DEVICE COUNT
#include <parallax/parallax.hpp>

#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int count = std::atoi(argv[2]);
    std::barrier together(count);
    std::atomic<int> opened = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&] {
            together.arrive_and_wait();
            try {
                const parallax::Engine engine({.device = argv[1]});
                ++opened;
            } catch (const std::exception& error) {
                std::fprintf(stderr, "%s\n", error.what());
            }
        });
    for (std::thread& thread : threads) thread.join();
    std::printf("%d opened\n", opened.load());
    return opened == count ? 0 : 1;
}
