#ifndef BEARWARD_BUILD_INFO_H
#define BEARWARD_BUILD_INFO_H

/// One character of the commit that the program was built from, as the manifest found it; 0 behind its end.
char bearward_commit_character(int index);

#endif
