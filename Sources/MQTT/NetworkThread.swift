import CMosquitto
import Glibc

/// A thread for work that blocks.
enum NetworkThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs `body` on a thread of its own, named `name` (15 bytes at most), that takes no signals.
    ///
    /// - Throws: `MQTTError.resources` when the system has no thread left.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(MQTTError) {
        let context = Unmanaged.passRetained(Body(name: name, run: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { context in
                // The program's own threads take its signals. And OpenSSL writes to sockets without MSG_NOSIGNAL: a
                // broker that hangs up must be an error here, not a SIGPIPE that ends the process.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                guard let context else { return nil }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                thread_name_set(body.name)
                body.run()
                return nil
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            throw .resources("start the MQTT thread", String(cString: strerror(code)))
        }
        pthread_detach(thread)
    }
}
