import Synchronization

/// Runs closures after the user has seen the current state. The server sends a number to the pages,
/// and a visible page confirms the number. An open stream isn't enough, because a connection can
/// break unnoticed.
public final class PageSight: Sendable {
    private struct State {
        var last = 0
        var waiting: [(number: Int, act: @Sendable () -> Void)] = []
        var ask: (@Sendable () -> Void)?
    }

    /// The maximum number of waiting closures. The oldest are dropped first, because they are about
    /// old news.
    private static let limit = 100

    private let state = Mutex(State())

    public init() {}

    /// Runs `act` after a page has confirmed that it shows the current state or a later state.
    public func whenSeen(_ act: @escaping @Sendable () -> Void) {
        let ask = state.withLock { state in
            state.last += 1
            state.waiting.append((state.last, act))
            state.waiting.removeFirst(max(0, state.waiting.count - Self.limit))
            return state.ask
        }
        ask?()
    }

    /// The number that a page must confirm. 0 without waiting closures.
    var wanted: Int { state.withLock { $0.waiting.last?.number ?? 0 } }

    func confirm(_ number: Int) {
        let acts = state.withLock { state in
            let seen = state.waiting.prefix { $0.number <= number }
            state.waiting.removeFirst(seen.count)
            return seen.map(\.act)
        }
        for act in acts { act() }
    }

    /// Drops all waiting closures, for example when another person signs in.
    func forget() { state.withLock { $0.waiting = [] } }

    /// - Parameter ask: Asks the open pages whether they are visible.
    func onWait(_ ask: @escaping @Sendable () -> Void) { state.withLock { $0.ask = ask } }
}
