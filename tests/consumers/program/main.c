#include <parallax/parallax.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    plx_engine* engine = NULL;
    if (plx_engine_open(NULL, &engine) != PLX_OK) {
        fprintf(stderr, "%s\n", plx_last_error());
        return 1;
    }
    plx_engine_release(engine);
    puts(plx_version());
    return strcmp(plx_version(), "0.1.0");
}
