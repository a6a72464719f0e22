#ifndef FACET_CBUILD_H
#define FACET_CBUILD_H

/// The commit that the program is built from; empty for a release.
///
/// In C: a new commit compiles this one file again, and links.
const char *facet_commit(void);

#endif
