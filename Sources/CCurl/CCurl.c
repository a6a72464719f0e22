#include "CCurl.h"

#include <dlfcn.h>
#include <stdlib.h>

// Of libcurl's binary interface, which has been stable since 2006: the numbers are those of <curl/curl.h>.
typedef void Curl;
typedef struct List List;
enum {
    OptionPostFieldSize = 60,
    OptionNoSignal = 99,
    OptionTimeout = 155,
    OptionProtocols = 181,
    OptionURL = 10002,
    OptionErrorBuffer = 10010,
    OptionPostFields = 10015,
    OptionHeader = 10023,
    OptionWriteData = 10001,
    OptionWriteFunction = 20011,
    InfoResponseCode = 0x200002,
    ProtocolsHTTP = 1 | 2,
    GlobalAll = 3,
    ErrorSize = 256,
    // More of an answer's body is not worth keeping the connection for.
    LongestAnswer = 65536,
};

static struct {
    int (*globalInit)(long);
    Curl *(*init)(void);
    void (*cleanup)(Curl *);
    int (*setOption)(Curl *, int, ...);
    int (*perform)(Curl *);
    int (*getInfo)(Curl *, int, ...);
    const char *(*describe)(int);
    List *(*append)(List *, const char *);
    void (*freeList)(List *);
} curl;

struct FacetPoster {
    Curl *handle;
    char error[ErrorSize];
};

// Ends the transfer by taking less than there is.
static size_t ignore(char *data, size_t size, size_t count, void *context) {
    size_t *left = context;
    size_t taken = size * count < *left ? size * count : *left;
    *left -= taken;
    return taken;
}

static const char *load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) return dlerror();
    struct {
        void *place;
        const char *name;
    } functions[] = {
        {&curl.globalInit, "curl_global_init"}, {&curl.init, "curl_easy_init"}, {&curl.cleanup, "curl_easy_cleanup"},
        {&curl.setOption, "curl_easy_setopt"}, {&curl.perform, "curl_easy_perform"}, {&curl.getInfo, "curl_easy_getinfo"},
        {&curl.describe, "curl_easy_strerror"}, {&curl.append, "curl_slist_append"}, {&curl.freeList, "curl_slist_free_all"},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *function = dlsym(library, functions[index].name);
        if (function == NULL) return dlerror();
        *(void **)functions[index].place = function;
    }
    return curl.globalInit(GlobalAll) == 0 ? NULL : "libcurl cannot be initialised";
}

FacetPoster *FacetPosterMake(const char *url, const char **error) {
    *error = load();
    if (*error != NULL) return NULL;
    FacetPoster *poster = calloc(1, sizeof *poster);
    if (poster == NULL || (poster->handle = curl.init()) == NULL) {
        *error = "there is no memory";
        free(poster);
        return NULL;
    }
    int code = curl.setOption(poster->handle, OptionURL, url);
    if (code == 0) code = curl.setOption(poster->handle, OptionProtocols, (long)ProtocolsHTTP);
    if (code != 0) {
        *error = curl.describe(code);
        FacetPosterFree(poster);
        return NULL;
    }
    // Signals belong to the program.
    curl.setOption(poster->handle, OptionNoSignal, 1L);
    curl.setOption(poster->handle, OptionErrorBuffer, poster->error);
    curl.setOption(poster->handle, OptionWriteFunction, ignore);
    return poster;
}

long FacetPosterSend(
    FacetPoster *poster, const void *body, size_t length, const char *type, const char *header, long milliseconds,
    const char **error
) {
    List *list = curl.append(NULL, type);
    if (header != NULL) list = curl.append(list, header);
    poster->error[0] = 0;
    curl.setOption(poster->handle, OptionHeader, list);
    curl.setOption(poster->handle, OptionPostFieldSize, (long)length);
    curl.setOption(poster->handle, OptionPostFields, body);
    curl.setOption(poster->handle, OptionTimeout, milliseconds);
    size_t left = LongestAnswer;
    curl.setOption(poster->handle, OptionWriteData, &left);
    int code = curl.perform(poster->handle);
    long status = 0;
    // The status says all, however the body ends; one below 200 only announces another.
    curl.getInfo(poster->handle, InfoResponseCode, &status);
    if (status < 200) status = 0;
    curl.setOption(poster->handle, OptionHeader, NULL);
    curl.freeList(list);
    *error = poster->error[0] ? poster->error : curl.describe(code);
    return status;
}

void FacetPosterFree(FacetPoster *poster) {
    curl.cleanup(poster->handle);
    free(poster);
}
