/* C: simulates the hologram of a bead, reconstructs it, and says how dark the bead is. */
#include <parallax/parallax.h>

#include <stdio.h>
#include <stdlib.h>

/* Says what went wrong and ends. */
static void check(plx_status status) {
    if (status == PLX_OK) return;
    fprintf(stderr, "%s error: %s\n", plx_status_name(status), plx_last_error());
    exit(status == PLX_ERROR_CONFIG ? 2 : 1);
}

int main(void) {
    plx_engine* engine = NULL;
    plx_session* session = NULL;
    check(plx_engine_open(NULL, &engine));
    check(plx_session_open(engine, &session));

    plx_result* simulated = NULL;
    plx_array* hologram = NULL;
    plx_call simulate = PLX_INIT(plx_call);
    simulate.algorithm = "hologram_simulate";
    simulate.parameters = "{\"width\": 256, \"height\": 256, \"radius_um\": 10, \"distance_um\": 1000}";
    check(plx_run(session, &simulate, &simulated));
    check(plx_result_array(simulated, "hologram", &hologram));

    plx_input input = {"hologram", NULL, NULL, NULL};
    input.array = hologram;   /* it has not left the device */
    plx_result* reconstructed = NULL;
    plx_array* amplitude = NULL;
    plx_call reconstruct = PLX_INIT(plx_call);
    reconstruct.algorithm = "hologram";
    reconstruct.parameters = "{\"wavelength_nm\": 532, \"pixel_um\": 1.4, \"distance_um\": 1000}";
    reconstruct.inputs = &input;
    reconstruct.input_count = 1;
    check(plx_run(session, &reconstruct, &reconstructed));
    check(plx_result_array(reconstructed, "amplitude", &amplitude));

    const size_t bytes = plx_array_bytes(amplitude);
    float* pixels = malloc(bytes);
    if (pixels == NULL) return 1;
    check(plx_array_download(session, amplitude, pixels, bytes));
    float least = pixels[0], sum = 0;
    for (size_t i = 0; i < bytes / sizeof(float); ++i) {
        if (pixels[i] < least) least = pixels[i];
        sum += pixels[i];
    }
    printf("amplitude: mean %.3f, in the bead %.3f\n", sum / (float)(bytes / sizeof(float)), least);

    free(pixels);
    plx_array_release(amplitude);
    plx_result_release(reconstructed);
    plx_array_release(hologram);
    plx_result_release(simulated);
    plx_session_release(session);
    plx_engine_release(engine);
    return least < 0.5f ? 0 : 1;
}
