import CMosquitto
import Glibc
import Synchronization

/// Wakes a thread that polls.
final class Doorbell: Sendable {
    /// For `poll`: readable after a ring.
    let descriptor: CInt

    init() throws(MQTTError) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .resources("make an eventfd", String(cString: strerror(errno))) }
    }

    deinit {
        close(descriptor)
    }

    /// Wakes the thread, now or when it next polls.
    func ring() {
        // Fails only when it has been rung 2^64 times unanswered.
        _ = eventfd_write(descriptor, 1)
    }

    /// Waits for a ring, for a descriptor to be ready, or for the time to be over.
    ///
    /// - Parameters:
    ///   - interests: descriptors with the `poll` events of interest in each.
    ///   - nanoseconds: how long to wait at most.
    /// - Returns: the events that occurred, per descriptor; errors count as readable, since reading reports them.
    func wait(_ interests: [(descriptor: CInt, events: Int16)], nanoseconds: Int64) -> [Int16] {
        var list = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        list += interests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        // Rounded up: waking early would only poll again.
        let milliseconds = CInt(clamping: (min(max(0, nanoseconds), .max - 999_999) + 999_999) / 1_000_000)
        let count = poll(&list, nfds_t(list.count), milliseconds)
        // Without memory for the wait, the thread must not spin.
        if count < 0, errno != EINTR { usleep(100_000) }
        guard count > 0 else { return interests.map { _ in 0 } }
        if list[0].revents != 0 {
            var rings: eventfd_t = 0
            _ = eventfd_read(descriptor, &rings)
        }
        return list.dropFirst().map {
            $0.revents & Int16(POLLERR | POLLHUP) == 0 ? $0.revents : Int16(POLLIN | POLLOUT)
        }
    }
}

/// Lets tasks wait until something has happened, once.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Lets everybody through, now and from now on.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

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
