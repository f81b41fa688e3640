/* A host application with threads and handlers of its own, and the library in it: lists the devices, and runs a call on the
 * default one. */
#include <parallax/parallax.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void* idle(void* unused) {
    for (;;) pause();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    signal(SIGCHLD, SIG_IGN); /* the system reaps its children */
    char* json = NULL;
    if (plx_devices(&json) != PLX_OK) {
        fprintf(stderr, "%s\n", plx_last_error());
        return 1;
    }
    puts(json);
    plx_free(json);
    return 0;
}
