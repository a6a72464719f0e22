#include "CCurl.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>

#define FUNCTIONS(X) \
    X(curl_global_init) \
    X(curl_easy_init) \
    X(curl_easy_cleanup) \
    X(curl_easy_setopt) \
    X(curl_easy_perform) \
    X(curl_easy_getinfo) \
    X(curl_easy_strerror) \
    X(curl_slist_append) \
    X(curl_slist_free_all)

// The library's functions under their own names, with the signatures of the installed headers.
static struct {
#define FIELD(function) __typeof__(function) *function;
    FUNCTIONS(FIELD)
#undef FIELD
} library;

// More of an answer's body is not worth keeping the connection for.
enum { LongestAnswer = 65536 };

struct FacetPoster {
    CURL *handle;
    char error[CURL_ERROR_SIZE];
};

// Ends the transfer by taking less than there is.
static size_t ignore(char *data, size_t size, size_t count, void *context) {
    size_t *left = context;
    size_t taken = size * count < *left ? size * count : *left;
    *left -= taken;
    return taken;
}

static const char *load(void) {
    void *opened = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (opened == NULL) return dlerror();
#define FIND(function) \
    *(void **)&library.function = dlsym(opened, #function); \
    if (library.function == NULL) return dlerror();
    FUNCTIONS(FIND)
#undef FIND
    return library.curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK ? NULL : "libcurl cannot be initialised";
}

FacetPoster *FacetPosterMake(const char *url, const char **error) {
    *error = load();
    if (*error != NULL) return NULL;
    FacetPoster *poster = calloc(1, sizeof *poster);
    if (poster == NULL || (poster->handle = library.curl_easy_init()) == NULL) {
        *error = "there is no memory";
        free(poster);
        return NULL;
    }
    CURLcode code = library.curl_easy_setopt(poster->handle, CURLOPT_URL, url);
    if (code == CURLE_OK) code = library.curl_easy_setopt(poster->handle, CURLOPT_PROTOCOLS_STR, "http,https");
    if (code != CURLE_OK) {
        *error = library.curl_easy_strerror(code);
        FacetPosterFree(poster);
        return NULL;
    }
    // Signals belong to the program.
    library.curl_easy_setopt(poster->handle, CURLOPT_NOSIGNAL, 1L);
    library.curl_easy_setopt(poster->handle, CURLOPT_ERRORBUFFER, poster->error);
    library.curl_easy_setopt(poster->handle, CURLOPT_WRITEFUNCTION, ignore);
    return poster;
}

long FacetPosterSend(
    FacetPoster *poster, const void *body, size_t length, const char *type, const char *header, long milliseconds,
    const char **error
) {
    struct curl_slist *list = library.curl_slist_append(NULL, type);
    if (header != NULL) list = library.curl_slist_append(list, header);
    poster->error[0] = 0;
    library.curl_easy_setopt(poster->handle, CURLOPT_HTTPHEADER, list);
    library.curl_easy_setopt(poster->handle, CURLOPT_POSTFIELDSIZE, (long)length);
    library.curl_easy_setopt(poster->handle, CURLOPT_POSTFIELDS, body);
    library.curl_easy_setopt(poster->handle, CURLOPT_TIMEOUT_MS, milliseconds);
    size_t left = LongestAnswer;
    library.curl_easy_setopt(poster->handle, CURLOPT_WRITEDATA, &left);
    CURLcode code = library.curl_easy_perform(poster->handle);
    long status = 0;
    // The status says all, however the body ends; one below 200 only announces another.
    library.curl_easy_getinfo(poster->handle, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) status = 0;
    library.curl_easy_setopt(poster->handle, CURLOPT_HTTPHEADER, NULL);
    library.curl_slist_free_all(list);
    *error = poster->error[0] ? poster->error : library.curl_easy_strerror(code);
    return status;
}

void FacetPosterFree(FacetPoster *poster) {
    library.curl_easy_cleanup(poster->handle);
    free(poster);
}
