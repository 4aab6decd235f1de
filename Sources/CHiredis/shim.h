#ifndef BEARWARD_CHIREDIS_SHIM_H
#define BEARWARD_CHIREDIS_SHIM_H

// By its folder: pkg-config would name that, and flags that Swift's package manager warns of.
#include <hiredis/hiredis.h>

#endif
