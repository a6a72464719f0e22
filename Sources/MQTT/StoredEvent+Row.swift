import Foundation
import GRDB

extension StoredEvent {
    /// Reads an event back from its row.
    init(_ row: Row) {
        // MQTT forbids U+0000 in its strings, which makes it a safe mark between them.
        let texts = String(decoding: row["userProperties"] as Data, as: UTF8.self).split(
            separator: "\0",
            omittingEmptySubsequences: false
        )
        var properties: [MQTTMessage.UserProperty] = []
        for index in stride(from: 0, to: texts.count - 1, by: 2) {
            properties.append(.init(String(texts[index]), String(texts[index + 1])))
        }
        self.init(
            sequence: row["sequence"],
            time: .init(wall: row["wall"], uptime: row["uptime"], boot: row["boot"]),
            message: MQTTMessage(
                topic: row["topic"],
                payload: [UInt8](row["payload"] as Data),
                qos: .atLeastOnce,
                contentType: row["contentType"],
                userProperties: properties,
                messageExpiry: (row["expiry"] as Int64?).map { .nanoseconds($0) }
            )
        )
    }

    /// The values of its row, in the order of the table's columns.
    var arguments: StatementArguments {
        let properties = message.userProperties.flatMap { [$0.name, $0.value] }.joined(separator: "\0")
        return [
            sequence, time.wall, time.uptime, time.boot, message.topic, Data(message.payload),
            message.contentType, Data(properties.utf8), message.messageExpiry?.wholeNanoseconds,
        ]
    }
}
