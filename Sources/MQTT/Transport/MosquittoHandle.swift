import CMosquitto

/// One connection through libmosquitto; each attempt to connect makes a new handle.
///
/// libmosquitto reads and writes MQTT packets on a UNIX socket. `SocketProxy` has the other end, and handles the
/// network, TLS and the check of incoming packets. A new handle knows nothing of earlier ones.
///
/// Used by one thread. libmosquitto's callbacks run inside the calls made here; their reports wait for `drainCalls`.
final class MosquittoHandle {
    /// A callback of libmosquitto that is queued to run on the network thread.
    typealias Call = (NetworkLoop) -> Void

    struct Failure: Error, Equatable {
        let code: Int32
        let systemError: Int32

        var text: String {
            switch code {
            case MOSQ_ERR_ERRNO.rawValue where systemError != 0: String(cString: strerror(systemError))
            case MOSQ_ERR_CONN_LOST.rawValue: "the connection was closed"
            case MOSQ_ERR_KEEPALIVE.rawValue: "the broker gave no sign of life"
            default: String(cString: mosquitto_strerror(code))
            }
        }

        /// Whether only this message cannot be sent, while the connection works.
        var concernsTheMessage: Bool {
            [
                MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_QOS_NOT_SUPPORTED,
                MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_RETAIN_NOT_SUPPORTED, MOSQ_ERR_NOT_SUPPORTED,
                MOSQ_ERR_TOPIC_ALIAS_INVALID, MOSQ_ERR_DUPLICATE_PROPERTY,
            ]
            .contains { $0.rawValue == code }
        }
    }

    /// A message that the broker has not answered yet.
    struct Sent {
        let topic: String
        /// The number of the event; nil for a state.
        let event: Int64?
        /// The quality of service. With `atMostOnce`, libmosquitto itself answers as soon as the message is written.
        let qos: MQTTMessage.QoS
        /// The time at which the message was sent, in monotonic nanoseconds.
        let time = DeliveryClock.monotonic()
    }

    private static let isReady = OpenSSL.isReady && mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let handle: OpaquePointer
    private let isVersion5: Bool
    private var calls: [Call] = []
    /// The messages that the broker has not answered yet, by the numbers that libmosquitto gave them.
    private var unanswered: [Int32: Sent] = [:]
    private var filters: [Int32: String] = [:]

    init(_ settings: BrokerSettings, _ attempt: ConnectionStateMachine.Attempt) throws(MQTTError) {
        _ = Self.isReady
        isVersion5 = attempt.version == .version5
        guard let handle = mosquitto_new(settings.clientID, !isVersion5 || attempt.cleanStart, nil) else {
            throw .resources("make an MQTT client", String(cString: strerror(errno)))
        }
        self.handle = handle
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        let number = isVersion5 ? CInt(MQTT_PROTOCOL_V5) : CInt(MQTT_PROTOCOL_V311)
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, number)
        if let username = settings.username {
            let code = mosquitto_username_pw_set(handle, username, settings.password?.revealed())
            guard code == 0 else { throw .setting("user name or password", username, text(of: code)) }
        }
        if let will = settings.will { try setWill(will, delay: settings.willDelay) }
    }

    deinit { mosquitto_destroy(handle) }

    private func setWill(_ will: MQTTMessage, delay: Duration) throws(MQTTError) {
        var properties = Properties(of: isVersion5 ? will : nil)
        if isVersion5, delay > .zero { properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, seconds: delay) }
        let size = CInt(clamping: will.payload.count)
        let qos = will.qos.rawValue
        // libmosquitto takes the properties over when it succeeds.
        let code = mosquitto_will_set_v5(handle, will.topic, size, will.payload, qos, will.retain, properties.list)
        guard code == 0 else {
            properties.free()
            throw .setting("will", will.topic, text(of: code))
        }
    }

    /// Lets libmosquitto connect to a socket of this process, instead of the broker's. Returns this process's end.
    func connect(_ settings: BrokerSettings) throws(MQTTError) -> CInt {
        var properties = Properties()
        defer { properties.free() }
        if isVersion5 {
            properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, seconds: settings.sessionExpiry)
            properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, number: UInt32(clamping: settings.maximumPacket))
        }
        let keepAlive = CInt(clamping: settings.keepAlive.components.seconds)
        return try PrivateListener.accept { path throws(MQTTError) in
            // Port 0: the host is a socket's path.
            let code = mosquitto_connect_bind_v5(handle, path, 0, keepAlive, nil, properties.list)
            guard code == 0 else { throw .resources("connect to \(path)", failure(code).text) }
        }
    }

    /// libmosquitto's socket, for `poll`; -1 without a connection.
    var socket: CInt { mosquitto_socket(handle) }
    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Reads and writes if the socket is ready, according to the bits of `poll`, and keeps the connection alive.
    /// Returns the connection's failure, if any. A callback may report the same failure.
    func serve(isReady events: Int16) -> Failure? {
        errno = 0
        var code = MOSQ_ERR_SUCCESS.rawValue
        if events & Int16(POLLIN) != 0 { code = mosquitto_loop_read(handle, 1) }
        if code == 0, events & Int16(POLLOUT) != 0, socket >= 0 { code = mosquitto_loop_write(handle, 1) }
        if code == 0, socket >= 0 { code = mosquitto_loop_misc(handle) }
        return code == 0 ? nil : failure(code)
    }

    /// Returns the queued callbacks in their order, and empties the queue.
    func drainCalls() -> [Call] { exchange(&calls, with: []) }

    /// The time at which the oldest unanswered message was sent; nil if all are answered.
    var oldestUnanswered: Int64? { unanswered.values.lazy.map(\.time).min() }

    /// Sends a message. The answer to an event, or to a message with quality of service 1, is queued as a `Call`.
    func publish(_ message: MQTTMessage, event: Int64?, qos: MQTTMessage.QoS, expiry: Duration?) throws(Failure) {
        var properties = Properties(of: isVersion5 ? message : nil)
        defer { properties.free() }
        if isVersion5, let expiry {
            properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, seconds: max(expiry, .seconds(1)))
        }
        let payload = message.payload
        let size = CInt(clamping: payload.count)
        let list = properties.list
        let number = try numbered {
            mosquitto_publish_v5(handle, &$0, message.topic, size, payload, qos.rawValue, message.retain, list)
        }
        if event != nil || qos == .atLeastOnce {
            unanswered[number] = Sent(topic: message.topic, event: event, qos: qos)
        }
    }

    /// Subscribes with quality of service 0, so that the broker keeps no commands while this client is away.
    func subscribe(_ filter: String) throws(Failure) {
        filters[try numbered { mosquitto_subscribe_v5(handle, &$0, filter, 0, 0, nil) }] = filter
    }

    /// Sends a request whose answer comes after the answers to all earlier requests and after their retained messages.
    ///
    /// Brokers work through a connection's requests in order. This one is an unsubscription that changes nothing.
    func requestBarrier(after filter: String) throws(Failure) {
        _ = try numbered { mosquitto_unsubscribe_v5(handle, &$0, filter + "/barrier", nil) }
    }

    /// Sends DISCONNECT, after which the broker does not publish the will.
    func disconnect() { mosquitto_disconnect_v5(handle, 0, nil) }
    func failure(_ code: Int32) -> Failure { Failure(code: code, systemError: errno) }

    /// Calls `send`; returns the number that libmosquitto gives to the message or request.
    private func numbered(_ send: (inout Int32) -> Int32) throws(Failure) -> Int32 {
        var number: Int32 = 0
        let code = send(&number)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw failure(code) }
        return number
    }

    private func text(of code: Int32) -> String { String(cString: mosquitto_strerror(code)) }

    // MARK: - Callbacks

    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoHandle? {
        context.map { Unmanaged<MosquittoHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, properties in
            let maximumQoS = Properties.maximumQoS(properties)
            MosquittoHandle.from(context)?.calls.append { loop in
                if reason == 0 { loop.accepted(maximumQoS: maximumQoS) } else { loop.refused(code: reason) }
            }
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            MosquittoHandle.from(context)?.calls.append { $0.ended(code: reason) }
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, message, reason, _ in
            // Looked up later: libmosquitto may report a message before it has returned the message's number.
            MosquittoHandle.from(context)?.calls.append { loop in
                guard let sent = loop.handle?.unanswered.removeValue(forKey: message) else { return }
                loop.answered(sent, reason: reason)
            }
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, message, count, reasons, _ in
            let reasons = Array(UnsafeBufferPointer(start: reasons, count: max(0, Int(count))))
            guard let handle = MosquittoHandle.from(context), let filter = handle.filters.removeValue(forKey: message)
            else { return }
            handle.calls.append { $0.subscriptionAnswered(filter, reasons: reasons) }
        }
        mosquitto_unsubscribe_v5_callback_set(handle) { _, context, _, _ in
            MosquittoHandle.from(context)?.calls.append { $0.barrierReached() }
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message else { return }
            MosquittoHandle.from(context)?.received(message.pointee, properties: properties)
        }
    }

    private func received(_ message: mosquitto_message, properties: OpaquePointer?) {
        let count = Int(message.payloadlen)
        guard count >= 0, let name = message.topic, let topic = String(validatingCString: name) else {
            return calls.append { $0.countRefused(1) }
        }
        let payload = Array(UnsafeRawBufferPointer(start: message.payload, count: count))
        var received = MQTTMessage(topic: topic, payload: payload, retain: message.retain)
        Properties.read(properties, into: &received)
        calls.append { [received] loop in loop.received(received) }
    }
}

extension MosquittoHandle {
    static func validate(topic: String) throws(MQTTError) {
        guard !topic.isEmpty, !topic.utf8.contains(0), mosquitto_pub_topic_check(topic) == 0 else {
            throw .unusable("topic", topic, "it must be 1 to 65535 bytes of text without the wildcards + and #")
        }
    }

    /// Checks a topic filter; throws `MQTTError` if it is invalid.
    static func validate(filter: String) throws(MQTTError) {
        guard !filter.isEmpty, !filter.utf8.contains(0), mosquitto_sub_topic_check(filter) == 0 else {
            let rule = "+ stands for one level and # for all that follow; both fill their level alone"
            throw .unusable("topic", filter, rule)
        }
    }

    /// Whether a filter matches a topic; the group in a shared subscription's filter is ignored.
    static func matches(_ topic: String, filter: String) -> Bool {
        var filter = filter[...]
        if filter.hasPrefix("$share/") {
            filter = filter.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
        }
        var result = false
        return mosquitto_topic_matches_sub(String(filter), topic, &result) == 0 && result
    }

    /// The text for a reason code of the broker (0x80 and above).
    static func reasonText(_ code: Int32) -> String { String(cString: mosquitto_reason_string(code)) }
}

/// A list of MQTT 5 properties in libmosquitto's memory; the owner must free it or hand it over.
private struct Properties {
    var list: OpaquePointer?

    init(of message: MQTTMessage? = nil) {
        if let contentType = message?.contentType {
            mosquitto_property_add_string(&list, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), contentType)
        }
        let identifier = CInt(MQTT_PROP_USER_PROPERTY.rawValue)
        for property in message?.userProperties ?? [] {
            mosquitto_property_add_string_pair(&list, identifier, property.name, property.value)
        }
    }

    /// Adds a duration, rounded up to whole seconds.
    mutating func add(_ identifier: mqtt5_property, seconds duration: Duration) {
        let (seconds, rest) = duration.components
        add(identifier, number: UInt32(clamping: seconds + (rest > 0 ? 1 : 0)))
    }

    mutating func add(_ identifier: mqtt5_property, number: UInt32) {
        mosquitto_property_add_int32(&list, CInt(identifier.rawValue), number)
    }

    mutating func free() { mosquitto_property_free_all(&list) }

    /// Reads the MIME type and the user properties of a received message. Text that is not valid UTF-8 is left out.
    static func read(_ list: OpaquePointer?, into message: inout MQTTMessage) {
        var property = list
        while let current = property {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            let identifier = mosquitto_property_identifier(current)
            switch mqtt5_property(UInt32(identifier)) {
            case MQTT_PROP_CONTENT_TYPE:
                mosquitto_property_read_string(current, identifier, &value, false)
                message.contentType = value.flatMap { String(validatingCString: $0) }
            case MQTT_PROP_USER_PROPERTY:
                mosquitto_property_read_string_pair(current, identifier, &name, &value, false)
                let texts = [name, value].compactMap { $0.flatMap { String(validatingCString: $0) } }
                if texts.count == 2 { message.userProperties.append(.init(texts[0], texts[1])) }
            default: break
            }
            Glibc.free(name)
            Glibc.free(value)
            property = mosquitto_property_next(current)
        }
    }

    /// The highest quality of service that the broker accepts, according to its properties.
    static func maximumQoS(_ list: OpaquePointer?) -> MQTTMessage.QoS {
        // The default if there is no such property.
        var value: UInt8 = 1
        mosquitto_property_read_byte(list, CInt(MQTT_PROP_MAXIMUM_QOS.rawValue), &value, false)
        return value == 0 ? .atMostOnce : .atLeastOnce
    }
}
