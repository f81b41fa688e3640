# The one list of algorithms: it feeds the registry, the tests, the benchmarks and the docs.
set(PARALLAX_ALGORITHMS
    arithmetic
    box_filter
    convert
    crop
    equalize
    fft
    histogram
    hologram
    hologram_simulate
    mask
    reduce
    scan
    select
    sort
    threshold)
