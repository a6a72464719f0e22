import Synchronization

/// Passes on that standard output's reader went away, to somebody who may come later.
final class OutputWatch: Sendable {
    private struct State {
        var isClosed = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func close() {
        let action = state.withLock { state in
            state.isClosed = true
            return state.action
        }
        action?()
    }

    func onClose(_ action: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            state.action = action
            return state.isClosed
        }
        if isClosed { action() }
    }
}
