# Libraries of FFTs. Each is asked for what is used of it, unevaluated: VkFFT is a header of a megabyte.
if(PARALLAX_VKFFT)
    find_path(VKFFT_INCLUDE vkFFT.h PATH_SUFFIXES vkfft)
    if(VKFFT_INCLUDE)
        parallax_fits(VKFFT_FITS VkFFT ${VKFFT_INCLUDE}/vkFFT.h [[
            #define VKFFT_BACKEND 3
            #include <vkFFT.h>
            using Made = decltype(initializeVkFFT(static_cast<VkFFTApplication*>(nullptr), VkFFTConfiguration()));
            using Appended = decltype(VkFFTAppend(static_cast<VkFFTApplication*>(nullptr), 0, static_cast<VkFFTLaunchParams*>(nullptr)));
            void fits(VkFFTConfiguration& wanted, VkFFTLaunchParams& launch) {
                wanted.size[2] = wanted.numberBatches = wanted.inputBufferStride[2] = wanted.outputBufferStride[2] = 1;
                wanted.normalize = wanted.performR2C = wanted.makeForwardPlanOnly = wanted.makeInversePlanOnly = wanted.isInputFormatted = wanted.isOutputFormatted = 1;
                launch.commandQueue = nullptr;
            }]] INCLUDES ${VKFFT_INCLUDE} ${OpenCL_INCLUDE_DIRS} DEFINITIONS CL_TARGET_OPENCL_VERSION=120)
    endif()
    if(VKFFT_INCLUDE AND VKFFT_FITS)
        target_include_directories(parallax_algorithms PRIVATE ${VKFFT_INCLUDE})
        target_compile_definitions(parallax_algorithms PRIVATE PARALLAX_HAS_VKFFT=1)
        if(NOT MSVC)   # VkFFT converts -1.0 to an unsigned number; it is not ours to mend. It writes kernels, once a plan.
            set_source_files_properties(algorithms/fft/vkfft.cpp PROPERTIES COMPILE_OPTIONS "-fno-sanitize=undefined;-O1" SKIP_PRECOMPILE_HEADERS ON
                SKIP_UNITY_BUILD_INCLUSION ON)
        endif()
    endif()
endif()
if(PARALLAX_CLFFT)
    find_path(CLFFT_INCLUDE clFFT.h)
    find_library(CLFFT_LIBRARY clFFT)
    if(CLFFT_INCLUDE AND CLFFT_LIBRARY)
        parallax_fits(CLFFT_FITS clFFT ${CLFFT_INCLUDE}/clFFT.h [[
            #include <clFFT.h>
            using Setup = decltype(clfftSetup(static_cast<clfftSetupData*>(nullptr)));
            using Baked = decltype(clfftBakePlan(clfftPlanHandle(), 1, static_cast<cl_command_queue*>(nullptr), nullptr, nullptr));]]
            INCLUDES ${CLFFT_INCLUDE} ${OpenCL_INCLUDE_DIRS} DEFINITIONS CL_TARGET_OPENCL_VERSION=120)
    endif()
    if(CLFFT_INCLUDE AND CLFFT_LIBRARY AND CLFFT_FITS)
        target_include_directories(parallax_algorithms PRIVATE ${CLFFT_INCLUDE})
        target_compile_definitions(parallax_algorithms PRIVATE PARALLAX_HAS_CLFFT=1)
        # Opened at run time, by the name that it would be linked by.
        file(REAL_PATH ${CLFFT_LIBRARY} library)
        cmake_path(GET library FILENAME library)
        string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" library "${library}")
        set_source_files_properties(algorithms/fft/clfft.cpp PROPERTIES COMPILE_DEFINITIONS PARALLAX_CLFFT_LIBRARY="${library}")
    endif()
endif()

# cuFFT is opened at run time: its header is all that a build needs. Apart, because toolkits bring OpenCL headers of their own.
if(TARGET parallax_cuda)
    find_path(PARALLAX_cufft_INCLUDE cufft.h HINTS ${PARALLAX_cuda_INCLUDE})
    mark_as_advanced(PARALLAX_cufft_INCLUDE)
endif()
if(TARGET parallax_cuda AND PARALLAX_PEERS AND PARALLAX_cufft_INCLUDE)
    add_library(parallax_cufft OBJECT algorithms/fft/cuda/cufft.cpp)
    target_include_directories(parallax_cufft SYSTEM PRIVATE ${PARALLAX_cuda_INCLUDE} ${PARALLAX_cufft_INCLUDE})
    target_compile_definitions(parallax_cufft PRIVATE PARALLAX_HAS_CUFFT=1)
    target_link_libraries(parallax_cufft PRIVATE parallax_core fmt::fmt)
    add_dependencies(parallax_cufft parallax_includes)
    target_compile_definitions(parallax_algorithms PUBLIC PARALLAX_HAS_CUFFT=1)
    target_sources(parallax_algorithms PRIVATE $<TARGET_OBJECTS:parallax_cufft>)
endif()
