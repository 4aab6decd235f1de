#ifndef BEARWARD_CHIREDIS_SHIM_H
#define BEARWARD_CHIREDIS_SHIM_H

#include <hiredis.h>

// Swift's module of the C library leaves it out.
#include <sys/eventfd.h>

#endif
