#include "snippets.hpp"

#include <cstdio>

int main() {
    const bool good = readme() && embedding() && embedding_jobs();
    std::puts(good ? "the snippets do what they say" : "a snippet gives something else");
    return good ? 0 : 1;
}
