#ifndef BEARWARD_CMALLOC_SHIM_H
#define BEARWARD_CMALLOC_SHIM_H

#include <malloc.h>

#endif
