// Stands in front of glibc's allocator and counts what it is asked for.
//
// Linked into a program, it is asked by `allocation_count`. Preloaded into one (LD_PRELOAD), it counts in the eight bytes of the file
// that ALLOCATION_COUNT_FILE names, where another program can read along.

#define _GNU_SOURCE
#include "allocation_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t own;
static _Atomic uint64_t *counter = &own;

static void count(void) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

uint64_t allocation_count(void) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("ALLOCATION_COUNT_FILE");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *place = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (place != MAP_FAILED) counter = place;
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count();
    return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *place = memory;
    return 0;
}
