#include <sqlite3.h>

// Swift imports no macro that is a sum of others.
static const int sqlite_ioerr_short_read = SQLITE_IOERR_SHORT_READ;
