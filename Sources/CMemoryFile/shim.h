#ifndef BEARWARD_CMEMORYFILE_SHIM_H
#define BEARWARD_CMEMORYFILE_SHIM_H

// Both C libraries have it in <sys/mman.h>, but among their extensions, which Swift does not see.
int memfd_create(const char *name, unsigned int flags);

#endif
