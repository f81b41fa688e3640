// A machine without a library: a process with LD_AUDIT set to this finds none of the libraries that HIDDEN_LIBRARIES names,
// neither by linking nor by dlopen. The names of all that it looks for are added to the file SEARCHED_LIBRARIES.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned int la_version(unsigned int version) { return version; }

char* la_objsearch(const char* name, uintptr_t* from, unsigned int how) {
    (void)from, (void)how;
    const char* const hidden = getenv("HIDDEN_LIBRARIES");
    const char* const place = getenv("SEARCHED_LIBRARIES");
    const char* const folder = strrchr(name, '/');
    FILE* const file = place != NULL ? fopen(place, "a") : NULL;
    if (file != NULL) {
        fprintf(file, "%s\n", name);
        fclose(file);
    }
    return hidden != NULL && strstr(hidden, folder != NULL ? folder + 1 : name) != NULL ? NULL : (char*)name;
}
