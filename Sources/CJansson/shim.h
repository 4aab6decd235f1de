#ifndef BEARWARD_CJANSSON_SHIM_H
#define BEARWARD_CJANSSON_SHIM_H

#include <jansson.h>

#endif
