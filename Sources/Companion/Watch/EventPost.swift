import CCurl

/// Posts each event to a web address until it is accepted, as CloudEvents 1.0 in structured JSON mode.
///
/// `@unchecked Sendable` because libcurl's client may move between threads, and one thread at a time uses it: the queue
/// of events has one worker, which calls `send` for one event after the other.
package final class EventPost: @unchecked Sendable {
    /// The HTTP statuses after which a post is tried again, besides all from 500 up (RFC 9110, RFC 6585).
    private static let passing: Set = [408, 425, 429]
    /// The name of the header whose value is `sha256=` and the HMAC of the body in hexadecimal.
    static let signatureHeader = "X-Facet-Signature-256"

    private let patience: Int
    /// The web address, without passwords.
    private let url: String
    private let secret: [UInt8]?
    private let client: OpaquePointer

    /// Makes a sender that signs bodies with `secret`. A request may take `patience` milliseconds. Throws
    /// `CommandFailure` if the address is malformed or neither http nor https, or if libcurl is missing.
    package init(to url: String, secret: [UInt8]?, patience: Int = 10_000) throws {
        guard let mark = url.firstRange(of: "://"), ["http", "https"].contains(url[..<mark.lowerBound].lowercased())
        else {
            let form = "it must be a web address, http://… or https://…"
            throw CommandFailure("cannot post to '\(url.shownSource)': \(form)")
        }
        let server: ServerAddress
        do throws(ServerAddress.Failure) {
            server = try ServerAddress(scheme: url[..<mark.lowerBound], url[mark.upperBound...])
        } catch {
            throw CommandFailure("cannot post to \(error.shown): \(error.reason)")
        }
        let place = server.description
        var error: UnsafePointer<CChar>?
        guard let client = FacetPosterMake(server.revealed(), &error) else {
            let reason = error.map { String(cString: $0) } ?? ""
            throw CommandFailure("cannot post to \(place): \(reason)", remedy: "apt install libcurl4")
        }
        self.url = place
        self.secret = secret
        self.patience = patience
        self.client = client
    }

    /// Makes a sender that signs bodies with a key of at least 16 bytes, the first line of a file. Throws
    /// `CommandFailure` if the key or the address cannot be used, or if libcurl is missing.
    package convenience init(to url: String, secretFile: String?) throws {
        let key = try secretFile.map { path in
            try FileText.secret(FileText.read(path, "key"), "key in \(path)", atLeast: 16)
        }
        try self.init(to: url, secret: key.map { Array($0.utf8) })
    }

    deinit { FacetPosterFree(client) }

    /// Posts an event until it is accepted or refused for good. Returns the error; nil if it was accepted.
    package func send(_ message: EventMessage) async -> String? {
        let name = Topic(message.event.kind).rawValue
        let body = Self.cloudEvent(message)
        var wait = Backoff(0.5...30)
        var isNoted = false
        while true {
            let (status, reason) =
                (try? await onThread(named: "post") { self.post(body) }) ?? (0, "the system has no thread left")
            if 200..<300 ~= status { return nil }
            let what = "\(url) did not take the \(name) of \(message.event.stamp.time.iso8601)"
            if status != 0, status < 500, !Self.passing.contains(status) {
                return "\(what), and will not: status \(status)"
            }
            if !isNoted { Console.note("\(what): \(reason); trying again") }
            isNoted = true
            let pause = Duration.seconds(wait.next(times: .random(in: 0.8...1.2)))
            if (try? await Task.sleep(for: pause)) == nil { return "\(what): \(reason)" }
        }
    }

    private func post(_ body: [UInt8]) -> (status: Int, reason: String) {
        let type = "Content-Type: application/cloudevents+json; charset=utf-8"
        let signature = secret.map { "\(Self.signatureHeader): sha256=\(SHA256.hmac(of: body, key: $0))" }
        var error: UnsafePointer<CChar>?
        let status = FacetPosterSend(client, body, body.count, type, signature, patience, &error)
        return (status, status == 0 ? error.map { String(cString: $0) } ?? "no answer" : "status \(status)")
    }

    static func cloudEvent(_ message: EventMessage) -> [UInt8] {
        // Encoded anew: fields that Facet does not know are not passed on.
        let encoded = DaemonMessage.event(message).encoded
        let attributes = JSONWriter.object { json in
            for (name, value) in encoded.cloudEvent?.properties ?? [] { json.field(name, value) }
            json.field("datacontenttype", encoded.contentType)
        }
        return attributes.dropLast() + Array(",\"data\":".utf8) + encoded.payload + Array("}".utf8)
    }
}
