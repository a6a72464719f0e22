import CMosquitto

extension MosquittoHandle {
    /// The handle that libmosquitto hands back to each callback; it outlives them, since it destroys libmosquitto's.
    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoHandle? {
        context.map { Unmanaged<MosquittoHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Has libmosquitto tell us everything.
    func setCallbacks(of handle: OpaquePointer) {
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING, let text else { return }
            MosquittoHandle.from(context)?.complained(String(cString: text))
        }
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, flags, properties in
            MosquittoHandle.from(context)?.happened(
                reason == 0
                    ? .accepted(
                        sessionPresent: flags & 1 != 0,
                        maximumQoS: MosquittoProperties.maximumQoS(properties)
                    )
                    : .refused(code: reason)
            )
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            MosquittoHandle.from(context)?.happened(.ended(code: reason))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, message, reason, _ in
            MosquittoHandle.from(context)?.happened(.acknowledged(message: message, reason: reason))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, message, count, reasons, _ in
            let reasons = UnsafeBufferPointer(start: reasons, count: max(0, Int(count)))
            MosquittoHandle.from(context)?.happened(.subscribed(message: message, reasons: Array(reasons)))
        }
        mosquitto_unsubscribe_v5_callback_set(handle) { _, context, _, _ in
            MosquittoHandle.from(context)?.happened(.barrierReached)
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message else { return }
            MosquittoHandle.from(context)?.received(message.pointee, properties: properties)
        }
    }

    private func received(_ message: mosquitto_message, properties: OpaquePointer?) {
        let count = Int(message.payloadlen)
        guard count >= 0, count <= payloadLimit, let name = message.topic,
            let topic = String(validatingCString: name)
        else { return happened(.receivedUnusable) }
        let (contentType, userProperties) = MosquittoProperties.read(properties)
        happened(
            .received(
                ReceivedMessage(
                    topic: topic,
                    payload: Array(UnsafeRawBufferPointer(start: message.payload, count: count)),
                    qos: message.qos == 0 ? .atMostOnce : .atLeastOnce,
                    retained: message.retain,
                    contentType: contentType,
                    userProperties: userProperties
                )
            )
        )
    }
}
