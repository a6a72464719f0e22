// POST requests over one kept connection. The library is opened when the first client is made.
#ifndef FACET_CCURL_H
#define FACET_CCURL_H

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct FacetPoster FacetPoster;

// Makes a client for an http or https URL, which may not be redirected to other protocols. Returns null and sets
// `error`, valid until the next call, if libcurl is missing or does not take the URL.
FacetPoster *_Nullable FacetPosterMake(const char *url, const char *_Nullable *_Nonnull error);

// Sends a body with its type and perhaps one more header line, and waits for the answer, `milliseconds` at the most.
// Returns the answer's status; 0 if none came, why is in `error`, valid until the next call.
long FacetPosterSend(
    FacetPoster *poster, const void *body, size_t length, const char *type, const char *_Nullable header, long milliseconds,
    const char *_Nullable *_Nonnull error
);

void FacetPosterFree(FacetPoster *poster);

#pragma clang assume_nonnull end

#endif
