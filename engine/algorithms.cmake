# The one list of algorithms: it feeds the registry, the tests, the benchmarks and the docs.
set(PARALLAX_ALGORITHMS
    diffusion_aos
    diffusion_lb
    fft
    histogram
    hologram
    hologram_simulate
    metrics
    noise
    reduce
    scan)
