import Synchronization

/// Messages that commands send without the delivery queue: codes, invitations, texts to a number,
/// and last e-mails to former addresses. The database doesn't have them, so a server that stops
/// waits for them.
public final class DirectMessages: Sendable {
    /// How long a stop waits before it cuts a message. The first retry fits into this time.
    public static let patience: Duration = .seconds(4)
    /// How long a cut message may take to end.
    public static let patienceAfterCut: Duration = .seconds(1)

    private struct State {
        var count = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// Sends a message in the background.
    /// - Parameters:
    ///   - send: returns false if the message was not sent. Ends early if its task is cancelled.
    ///   - fail: runs if the message was not sent.
    public func send(
        _ send: @escaping @Sendable () async -> Bool,
        orElse fail: @escaping @Sendable () async -> Void = {}
    ) {
        state.withLock { state in
            state.count += 1
            let number = state.count
            state.tasks[number] = Task { [self] in
                if await !send() {
                    // Runs in another task, because a cancelled one can't use the database.
                    await Task { await fail() }.value
                }
                forget(number)
            }
        }
    }

    private func forget(_ number: Int) {
        state.withLock { _ = $0.tasks.removeValue(forKey: number) }
    }

    /// Waits until each message was sent or has failed. Cuts those that take longer than
    /// `patience`, or that are under way when this task is cancelled.
    public func finish(
        patience: Duration = DirectMessages.patience,
        afterCut: Duration = DirectMessages.patienceAfterCut
    ) async {
        await wait(atMost: patience)
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
        // Runs in another task, because a cancelled one wouldn't wait.
        await Task { await wait(atMost: afterCut) }.value
    }

    /// Waits for the present messages. Returns early if this task is cancelled.
    private func wait(atMost limit: Duration) async {
        let tasks = state.withLock { Array($0.tasks.values) }
        guard !tasks.isEmpty else { return }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            for task in tasks { await task.value }
            end.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }
}
