#ifndef BEARWARD_CZLIB_SHIM_H
#define BEARWARD_CZLIB_SHIM_H

#include <zlib.h>

#endif
