#include <microhttpd.h>


#include <sys/socket.h>

// The library's variadic functions, which Swift cannot call. Certificate and key are null for plain HTTP.
static inline struct MHD_Daemon *http_start(
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *context, int listener, unsigned int connections, size_t memory, unsigned int timeout,
    const char *certificate, const char *key)
{
    unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        certificate ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, handler, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, notify, context,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout, MHD_OPTION_ARRAY, certificate ? tls : none, MHD_OPTION_END);
}

static inline int http_event_descriptor(struct MHD_Daemon *server)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

static inline int http_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// Milliseconds until the library has to run although nothing came; -1 for no limit.
static inline long long http_timeout(struct MHD_Daemon *server)
{
    unsigned long long milliseconds;
    return MHD_get_timeout(server, &milliseconds) == MHD_YES ? (long long)milliseconds : -1;
}

// Macros with casts, which Swift does not import.
static const ssize_t http_stream_end = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t http_stream_error = MHD_CONTENT_READER_END_WITH_ERROR;
