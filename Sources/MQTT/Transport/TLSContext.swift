import CMosquitto

/// The TLS settings as an OpenSSL context.
final class TLSContext {
    fileprivate let context: OpaquePointer

    /// Loads the certificates and keys; throws `MQTTError`, which names the file that cannot be used.
    init(_ settings: TLSSettings) throws(MQTTError) {
        guard (settings.certificate == nil) == (settings.key == nil) else {
            throw .tls("a client certificate needs its key, and a key its certificate: set both or none")
        }
        let files = [
            ("CA", settings.certificateAuthority), ("client certificate", settings.certificate), ("key", settings.key),
        ]
        for case (let role, let path?) in files where access(path, R_OK) != 0 {
            throw .tls("cannot read the \(role) file \(path): \(String(cString: strerror(errno)))")
        }
        _ = OpenSSL.isReady
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw tlsError("OpenSSL") }
        self.context = context
        tls_set_minimum_version(context, TLS1_2_VERSION)
        tls_set_modes(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        // An encrypted key must not make a daemon ask for a password at its terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        func use(_ what: String, _ isUsed: Bool) throws(MQTTError) {
            guard isUsed else { throw tlsError("cannot use the \(what)") }
        }
        if let path = settings.certificateAuthority {
            try use("CA file \(path)", SSL_CTX_load_verify_locations(context, path, nil) == 1)
        } else {
            try use("system's certificate authorities", SSL_CTX_set_default_verify_paths(context) == 1)
        }
        guard let certificate = settings.certificate, let key = settings.key else { return }
        try use("client certificate file \(certificate)", SSL_CTX_use_certificate_chain_file(context, certificate) == 1)
        let isKey = SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
        try use("key file \(key) with the certificate", isKey && SSL_CTX_check_private_key(context) == 1)
    }

    deinit { SSL_CTX_free(context) }
}

/// The byte stream of a socket, encrypted if there are TLS settings. Never blocks; used by one thread.
final class ByteStream {
    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// Whether TLS itself failed: a certificate is not trusted by the other side, or no version is common to both.
        var isRefusal = false

        fileprivate static func system(_ code: CInt) -> Self { Self(description: String(cString: strerror(code))) }
    }

    let socket: CInt
    private var session: OpaquePointer?
    /// Whether TLS must write before anything else, and waits for the socket to become writable.
    private(set) var needsWriting = false

    /// Takes ownership of the socket, which is closed if this throws.
    init(socket: CInt, host: String, tls settings: TLSSettings?) throws(MQTTError) {
        self.socket = socket
        guard let settings else { return }
        let context = try TLSContext(settings)
        // The session takes a reference of its own; until then ours must live.
        session = withExtendedLifetime(context) { SSL_new(context.context) }
        guard let session else { throw .resources("begin TLS", "OpenSSL has no memory") }
        // An address is checked against the certificate's addresses, a name against its names.
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
        ERR_clear_error()
        guard SSL_set_fd(session, socket) == 1,
            isAddress || (tls_set_server_name(session, host) == 1 && SSL_set1_host(session, host) == 1)
        else { throw tlsError("cannot have the certificate checked for the host \(host)") }
    }

    deinit {
        if let session { SSL_free(session) }
        close(socket)
    }

    /// Continues the TLS handshake; returns whether it is complete.
    func handshake() throws(Failure) -> Bool {
        guard let session else { return true }
        let result = try moved(session, SSL_connect)
        if result == 0 {
            throw Failure(description: "the broker closed the connection: it is starting, busy, or speaks no TLS there")
        }
        return result != nil
    }

    /// Reads bytes into `buffer`. Returns their number: 0 at the end of the stream, nil if none have come yet.
    func read(_ buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int? {
        guard let session else { return try moved(recv(socket, buffer.baseAddress, buffer.count, 0)) }
        return try moved(session) { SSL_read($0, buffer.baseAddress, CInt(clamping: buffer.count)) }
    }

    /// Writes bytes; returns the number of those that the socket took.
    func write(_ buffer: UnsafeRawBufferPointer) throws(Failure) -> Int {
        guard let session else {
            return try moved(send(socket, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))) ?? 0
        }
        let count = try moved(session) { SSL_write($0, buffer.baseAddress, CInt(clamping: buffer.count)) }
        if count == 0 { throw Failure(description: "the connection was closed") }
        return count ?? 0
    }

    /// Returns the number of bytes that a system call moved; nil if the socket is not ready.
    private func moved(_ count: Int) throws(Failure) -> Int? {
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw .system(errno) }
        return nil
    }

    /// Ends the connection so that everything written still arrives.
    func end() {
        if let session { SSL_shutdown(session) }
        shutdown(socket, CInt(SHUT_WR))
    }

    /// Makes the kernel drop unsent bytes on closing, so that a broker that wakes hours later does not get them.
    func discardUnsentBytes() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Returns the number of bytes that OpenSSL moved; nil if it waits for the socket, 0 at the end of the stream.
    private func moved(_ session: OpaquePointer, _ call: (OpaquePointer) -> CInt) throws(Failure) -> Int? {
        ERR_clear_error()
        // OpenSSL does not reset `errno`, which an earlier call may have set.
        errno = 0
        let result = call(session)
        let systemError = errno
        let kind = SSL_get_error(session, result)
        needsWriting = kind == SSL_ERROR_WANT_WRITE
        switch kind {
        case SSL_ERROR_NONE: return Int(result)
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return nil
        case SSL_ERROR_ZERO_RETURN: return 0
        case SSL_ERROR_SYSCALL:
            guard systemError != 0 else { return 0 }
            throw .system(systemError)
        // The peer closed without a word of TLS, as a broker that restarts or has no room does.
        case SSL_ERROR_SSL where ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING: return 0
        default:
            let said = lastReason()
            let verification = SSL_get_verify_result(session)
            let text = verification == X509_V_OK ? said : String(cString: X509_verify_cert_error_string(verification))
            throw Failure(description: text ?? "TLS failed", isRefusal: true)
        }
    }
}

/// Makes an error which names what was tried, with the reason of OpenSSL's last error.
private func tlsError(_ attempt: String) -> MQTTError { .tls("\(attempt): \(lastReason() ?? "unknown reason")") }

/// The reason of OpenSSL's last error, which is then cleared; nil if OpenSSL gives none.
private func lastReason() -> String? {
    defer { ERR_clear_error() }
    return ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) }
}
