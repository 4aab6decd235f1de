#ifndef BEARWARD_CARES_SHIM_H
#define BEARWARD_CARES_SHIM_H

// Later versions mark what 1.18 has nothing else for.
#define CARES_NO_DEPRECATED
#include <ares.h>

#endif
