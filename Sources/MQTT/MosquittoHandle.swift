import CMosquitto
import Glibc

/// One attempt at a connection through libmosquitto, made anew for each.
///
/// A new handle has no memory of the last: what is sent again after a loss is decided by `DeliveryQueue` alone.
/// Confined to one thread. libmosquitto calls back within the calls made here; what it tells is kept in order until
/// `takeHappenings`, so that nothing is decided inside a callback.
final class MosquittoHandle {
    /// What libmosquitto told.
    enum Happening {
        /// The broker accepted the connection; the highest quality of service it takes.
        case accepted(sessionPresent: Bool, maximumQoS: MQTTMessage.QoS)
        case refused(code: Int32)
        /// The broker answered a message of ours; a reason of 0x80 and above means no.
        case acknowledged(message: Int32, reason: Int32)
        case received(ReceivedMessage)
        /// A message came that nobody should see.
        case receivedUnusable
        /// The broker answered a subscription; a reason of 0x80 and above means no.
        case subscribed(message: Int32, reasons: [Int32])
        /// The broker has answered everything asked before `requestBarrier`.
        case barrierReached
        /// The connection ended: a code of libmosquitto below 0x80, else the broker's reason.
        case ended(code: Int32)
    }

    /// What went wrong in a call.
    struct Failure: Error, Equatable {
        let code: Int32
        let systemError: Int32
        /// What libmosquitto said about it, if anything.
        let detail: String?
    }

    private static let initialized: Int32 = {
        // At exit libcrypto would free everything at once, while the network thread may be busy with it or with its own
        // end: that corrupts the heap. The process ends all the same.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        return mosquitto_lib_init()
    }()

    private let handle: OpaquePointer
    private let maximumPayload: Int
    private let isVersion5: Bool
    private var isAccepted = false
    private var happenings: [Happening] = []
    /// The library's last complaint, which says more than its return codes.
    private var complaint: String?

    init(settings: BrokerSettings, version: ConnectionState.ProtocolVersion, cleanStart: Bool) throws(MQTTError) {
        _ = Self.initialized
        guard let handle = mosquitto_new(settings.clientID, version == .version311 || cleanStart, nil) else {
            throw .resources("make an MQTT client", String(cString: strerror(errno)))
        }
        self.handle = handle
        maximumPayload = settings.maximumIncomingPayload
        isVersion5 = version == .version5
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks(of: handle)
        mosquitto_int_option(
            handle,
            MOSQ_OPT_PROTOCOL_VERSION,
            isVersion5 ? CInt(MQTT_PROTOCOL_V5) : CInt(MQTT_PROTOCOL_V311)
        )
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        try setCredentials(settings)
        if let tls = settings.tls { try setTLS(tls) }
        if let will = settings.will { try setWill(will, delay: settings.willDelay) }
    }

    deinit {
        mosquitto_destroy(handle)
    }

    private func setCredentials(_ settings: BrokerSettings) throws(MQTTError) {
        guard let username = settings.username else { return }
        let code = mosquitto_username_pw_set(handle, username, settings.password?.revealed())
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            throw .setting("user name or password", username, text(of: code))
        }
    }

    private func setWill(_ will: MQTTMessage, delay: Duration) throws(MQTTError) {
        var properties = isVersion5 ? MosquittoProperties(of: will) : MosquittoProperties()
        if isVersion5, delay > .zero { properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, seconds: delay) }
        // libmosquitto takes the properties over when it succeeds.
        let code = mosquitto_will_set_v5(
            handle,
            will.topic,
            CInt(clamping: will.payload.count),
            will.payload,
            will.qos.rawValue,
            will.retain,
            properties.list
        )
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            properties.free()
            throw .setting("will", will.topic, text(of: code))
        }
    }

    /// Starts to connect; the outcome comes as a happening.
    ///
    /// Blocks for the name's resolution, and with `each` address until one answers.
    func connect(_ settings: BrokerSettings, to choice: AddressRotation.Choice) throws(Failure) {
        var properties = MosquittoProperties()
        defer { properties.free() }
        if isVersion5 {
            properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, seconds: settings.sessionExpiry)
            // Topic, properties and header come on top of the payload.
            let packet = UInt32(clamping: settings.maximumIncomingPayload + 0x1_0000)
            mosquitto_property_add_int32(&properties.list, CInt(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), packet)
        }
        let keepAlive = CInt(clamping: settings.keepAlive.components.seconds)
        complaint = nil
        errno = 0
        let port = CInt(clamping: settings.port)
        if choice == .each {
            return try check(
                mosquitto_connect_bind_v5(handle, settings.host, port, keepAlive, nil, properties.list)
            )
        }
        // The call that does not block takes no properties, but uses those of an earlier one: the impossible port makes
        // that one stop right after it has kept them (libmosquitto 2.0).
        if isVersion5 { _ = mosquitto_connect_bind_v5(handle, settings.host, -1, keepAlive, nil, properties.list) }
        errno = 0
        try check(mosquitto_connect_bind_async(handle, settings.host, port, keepAlive, Self.source(for: choice)))
    }

    /// Any address of this machine; libmosquitto passes over those of the host that cannot be reached from its family.
    private static func source(for choice: AddressRotation.Choice) -> String? {
        switch choice {
        case .only(.ipv4): "0.0.0.0"
        case .only(.ipv6): "::"
        case .first, .each: nil
        }
    }

    /// The socket, for `poll`; -1 without a connection.
    var socket: CInt { mosquitto_socket(handle) }

    /// Whether bytes wait for the socket.
    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Does what the socket is ready for, and the keeping alive.
    ///
    /// - Returns: what went wrong, if there was no happening that told.
    func serve(readable: Bool, writable: Bool) -> Failure? {
        errno = 0
        var code = MOSQ_ERR_SUCCESS.rawValue
        if readable { code = mosquitto_loop_read(handle, 1) }
        if code == 0, writable, socket >= 0 { code = mosquitto_loop_write(handle, 1) }
        // libmosquitto counts the silence from the start of the attempt, which may have blocked for longer than that; until
        // the broker answers it is the state machine that counts.
        if code == 0, isAccepted, socket >= 0 { code = mosquitto_loop_misc(handle) }
        return code == 0 ? nil : failure(code)
    }

    /// What happened since the last call, in order.
    func takeHappenings() -> [Happening] {
        guard !happenings.isEmpty else { return [] }
        defer { happenings.removeAll(keepingCapacity: true) }
        return happenings
    }

    /// Hands a message to the network.
    ///
    /// - Returns: the number its acknowledgement will carry.
    func publish(_ message: MQTTMessage, qos: MQTTMessage.QoS, expiry: Duration?) throws(Failure) -> Int32 {
        var properties = isVersion5 ? MosquittoProperties(of: message) : MosquittoProperties()
        defer { properties.free() }
        if isVersion5, let expiry {
            properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, seconds: max(expiry, .seconds(1)))
        }
        var number: Int32 = 0
        complaint = nil
        try check(
            mosquitto_publish_v5(
                handle,
                &number,
                message.topic,
                CInt(clamping: message.payload.count),
                message.payload,
                qos.rawValue,
                message.retain,
                properties.list
            )
        )
        return number
    }

    /// Subscribes; at most once, so that the broker never keeps a command for us that is stale by the time we are back.
    ///
    /// - Returns: the number the answer will carry.
    func subscribe(_ filter: String) throws(Failure) -> Int32 {
        var number: Int32 = 0
        complaint = nil
        try check(mosquitto_subscribe_v5(handle, &number, filter, 0, 0, nil))
        return number
    }

    /// Asks the broker for an answer that comes after all it has to say about the subscriptions before.
    ///
    /// Retained messages may come before or after a subscription's own answer. The end of a subscription that never was
    /// is answered after both, since brokers work through a connection's requests in order.
    func requestBarrier(after filter: String) throws(Failure) {
        complaint = nil
        try check(mosquitto_unsubscribe_v5(handle, nil, filter + "/barrier", nil))
    }

    /// Says goodbye; the will is not published then.
    func disconnect() {
        mosquitto_disconnect_v5(handle, 0, nil)
    }

    /// Makes closing the socket throw away what the kernel has not sent, so that a broker that wakes up hours later
    /// does not get it.
    func discardUnsentBytes() {
        var option = linger(l_onoff: 1, l_linger: 0)
        guard socket >= 0 else { return }
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func happened(_ happening: Happening) {
        if case .accepted = happening { isAccepted = true }
        happenings.append(happening)
    }

    func complained(_ text: String) {
        // The first says what the matter was, the ones after what it led to.
        guard complaint == nil else { return }
        complaint = text
    }

    func failure(_ code: Int32) -> Failure {
        Failure(code: code, systemError: errno, detail: complaint)
    }

    var payloadLimit: Int { maximumPayload }

    private func check(_ code: Int32) throws(Failure) {
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw failure(code) }
    }

    private func text(of code: Int32) -> String { String(cString: mosquitto_strerror(code)) }

    /// Hands TLS settings to libmosquitto, which looks at the files only when it connects.
    private func setTLS(_ tls: TLSSettings) throws(MQTTError) {
        if tls.certificateAuthority == nil {
            mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
        }
        var code = mosquitto_tls_set(
            handle,
            tls.certificateAuthority,
            // With the system's authorities libmosquitto still wants a place named.
            tls.certificateAuthority == nil ? "/etc/ssl/certs" : nil,
            tls.certificate,
            tls.key,
            // An encrypted key must not ask at a terminal that nobody watches.
            { _, _, _, _ in 0 }
        )
        if code == 0 { code = mosquitto_tls_opts_set(handle, 1, tls.version?.rawValue, nil) }
        if code == 0 { code = mosquitto_tls_insecure_set(handle, !tls.checksHostName) }
        guard code == 0 else { throw .tls(complaint ?? text(of: code)) }
    }
}

extension MosquittoHandle {
    /// Refuses a topic one cannot publish on.
    static func validate(topic: String) throws(MQTTError) {
        guard !topic.isEmpty, !topic.utf8.contains(0), mosquitto_pub_topic_check(topic) == 0 else {
            throw .topic(topic, "it must be 1 to 65535 bytes of text without the wildcards + and #")
        }
    }

    /// Refuses a topic filter one cannot subscribe to.
    static func validate(filter: String) throws(MQTTError) {
        guard !filter.isEmpty, !filter.utf8.contains(0), mosquitto_sub_topic_check(filter) == 0 else {
            throw .topic(filter, "+ stands for one level and # for all that follow; both fill their level alone")
        }
    }

    /// Whether a topic is one of those a filter means.
    static func matches(_ topic: String, filter: String) -> Bool {
        var result = false
        return mosquitto_topic_matches_sub(filter, topic, &result) == 0 && result
    }
}
