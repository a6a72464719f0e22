#include "build.h"

const char *facet_commit(void) { return FACET_COMMIT; }
