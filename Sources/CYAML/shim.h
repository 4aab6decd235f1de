#ifndef BEARWARD_CYAML_SHIM_H
#define BEARWARD_CYAML_SHIM_H

#include <yaml.h>

#endif
