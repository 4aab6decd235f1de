#include "build_info.h"

#include <string.h>

#ifndef BEARWARD_COMMIT
#define BEARWARD_COMMIT "unknown"
#endif

char bearward_commit_character(int index) {
    static const char commit[] = BEARWARD_COMMIT;
    return index >= 0 && (size_t)index < strlen(commit) ? commit[index] : 0;
}
