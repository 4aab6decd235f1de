#pragma once

#include <stdint.h>

/// How often this process has asked for memory so far: malloc, calloc, realloc, and the aligned forms. What is freed is not counted.
uint64_t allocation_count(void);
