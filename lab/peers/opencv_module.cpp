// OpenCV's boxFilter, equalizeHist and calcHist behind C functions. Built into a library of its own.
#include "peers/opencv_module.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <exception>
#include <string>

namespace {

template <class Body>
const char* guarded(const Body& body) {
    thread_local std::string message;
    try {
        body();
        return nullptr;
    } catch (const std::exception& error) {
        message = error.what();
        return message.c_str();
    }
}

int depth_of(int type) { return type == PLX_OPENCV_U8 ? CV_8U : type == PLX_OPENCV_U16 ? CV_16U : CV_32F; }

/// A header over the caller's pixels; OpenCV has no const ones.
cv::Mat mat(const plx_opencv_image& image, const void* pixels) {
    return cv::Mat(image.height, image.width, CV_MAKETYPE(depth_of(image.type), image.channels), const_cast<void*>(pixels));
}

}  // namespace

int plx_opencv_abi(void) { return PLX_OPENCV_ABI; }

const char* plx_opencv_box(const plx_opencv_image* image, int window_x, int window_y, int border, void* out) {
    return guarded([=] {
        const int borders[] = {cv::BORDER_REFLECT_101, cv::BORDER_REFLECT, cv::BORDER_REPLICATE, cv::BORDER_CONSTANT};
        cv::Mat to = mat(*image, out);
        cv::boxFilter(mat(*image, image->pixels), to, -1, cv::Size(window_x, window_y), cv::Point(-1, -1), true, borders[border]);
    });
}

const char* plx_opencv_equalize(const plx_opencv_image* image, void* out) {
    return guarded([=] {
        cv::Mat to = mat(*image, out);
        cv::equalizeHist(mat(*image, image->pixels), to);
    });
}

// calcHist counts in f32 in the end, which holds integers up to 2^24: bands of rows with no more pixels.
const char* plx_opencv_histogram(const plx_opencv_image* image, const uint8_t* mask, int bins, uint32_t* counts) {
    return guarded([=] {
        const cv::Mat whole = mat(*image, image->pixels);
        const cv::Mat whole_mask =
            mask != nullptr ? cv::Mat(image->height, image->width, CV_8U, const_cast<uint8_t*>(mask)) : cv::Mat();
        const float range[] = {0, image->type == PLX_OPENCV_U8 ? 256.0f : 65536.0f};
        const float* ranges[] = {range};
        const int band = std::max(1, (1 << 24) / image->width);
        std::fill_n(counts, static_cast<std::size_t>(bins) * static_cast<std::size_t>(image->channels), 0u);
        for (int c = 0; c < image->channels; ++c)
            for (int y = 0; y < image->height; y += band) {
                const cv::Range rows(y, std::min(image->height, y + band));
                const cv::Mat part = whole.rowRange(rows), part_mask = mask != nullptr ? whole_mask.rowRange(rows) : cv::Mat();
                cv::Mat histogram;
                cv::calcHist(&part, 1, &c, part_mask, histogram, 1, &bins, ranges);
                for (int bin = 0; bin < bins; ++bin)
                    counts[static_cast<std::ptrdiff_t>(c) * bins + bin] += static_cast<uint32_t>(histogram.at<float>(bin));
            }
    });
}
