#ifndef BEARWARD_CDESCRIPTORS_SHIM_H
#define BEARWARD_CDESCRIPTORS_SHIM_H

// Swift's module of the C library leaves it out.
#include <sys/eventfd.h>

// Both C libraries have it in <sys/mman.h>, but among their extensions, which Swift does not see.
int memfd_create(const char *name, unsigned int flags);

#endif
