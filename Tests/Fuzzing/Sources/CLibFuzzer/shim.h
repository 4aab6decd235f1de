#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library; compilers bring it without a header.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one_input)(const uint8_t *data, size_t size));
