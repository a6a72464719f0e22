import DaemonCore
import FaceMessages

/// A sink that lets a test follow what is published.
final class MessageRecorder: MessageSink {
    private let messages: AsyncStream<Message>
    private let continuation: AsyncStream<Message>.Continuation

    init() {
        (messages, continuation) = AsyncStream.makeStream()
    }

    func send(_ message: Message) {
        continuation.yield(message)
    }

    /// The messages so far, once nothing more is sent.
    func takeAll() async -> [Message] {
        continuation.finish()
        return await messages.reduce(into: []) { $0.append($1) }
    }

    /// The messages up to and including the first on this topic that satisfies a condition.
    func messages(
        until topic: Topic,
        where condition: @Sendable (String) -> Bool = { _ in true }
    ) async -> [Message] {
        var all: [Message] = []
        for await message in messages {
            all.append(message)
            if message.topic == topic, condition(message.text) { break }
        }
        return all
    }
}

extension Message {
    /// The payload as text.
    var text: String { String(decoding: payload, as: UTF8.self) }
}
