#include <mosquitto.h>
#include <mqtt_protocol.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <sys/socket.h>

// accept4() is a GNU extension, which Swift's Glibc module hides.
static inline int socket_accept(int listener)
{
    int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// OpenSSL offers these as macros only, which Swift does not import.
static inline int tls_set_minimum_version(SSL_CTX *context, int version)
{
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int tls_set_server_name(SSL *session, const char *name)
{
    return SSL_set_tlsext_host_name(session, name);
}

// Partial writes as with a socket, and no buffers while nothing is under way.
static inline void tls_set_modes(SSL_CTX *context)
{
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}
