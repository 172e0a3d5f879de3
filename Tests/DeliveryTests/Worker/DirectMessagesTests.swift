import Synchronization
import Testing

@testable import Delivery

@Suite struct DirectMessagesTests {
    private final class Outcome: Sendable {
        private let sent = Mutex(0)
        /// For each failure, whether its task was cancelled.
        private let failures = Mutex<[Bool]>([])

        func noteSent() { sent.withLock { $0 += 1 } }
        func noteFailure() { failures.withLock { $0.append(Task.isCancelled) } }
        var sentCount: Int { sent.withLock { $0 } }
        var cancelledFailures: [Bool] { failures.withLock { $0 } }
    }

    /// Longer than the machine may be busy.
    private static let long: Duration = .seconds(3_600)

    private let messages = DirectMessages()
    private let outcome = Outcome()
    /// The provider's answer. No provider answers before `answer` is finished.
    private let answers: AsyncStream<Void>
    private let answer: AsyncStream<Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        (answers, answer) = (stream, continuation)
    }

    /// Sends a message that the provider accepts once it answers.
    private func send() {
        messages.send { [answers, outcome] in
            for await _ in answers {}
            guard !Task.isCancelled else { return false }
            outcome.noteSent()
            return true
        } orElse: { [outcome] in
            outcome.noteFailure()
        }
    }

    @Test func stopWaitsForTheAnswer() async {
        send()
        async let stop: Void = messages.finish(patience: Self.long, afterCut: Self.long)
        answer.finish()
        await stop
        #expect(outcome.sentCount == 1 && outcome.cancelledFailures == [])
    }

    @Test func slowMessageIsCutAndFails() async {
        send()
        await messages.finish(patience: .zero, afterCut: Self.long)
        #expect(outcome.sentCount == 0 && outcome.cancelledFailures == [false])
        answer.finish()
    }

    @Test func cancelledStopCutsAtOnce() async {
        send()
        let stop = Task { [messages] in
            await messages.finish(patience: Self.long, afterCut: Self.long)
        }
        stop.cancel()
        await stop.value
        #expect(outcome.cancelledFailures == [false])
        answer.finish()
    }

    @Test func refusedMessageFails() async {
        messages.send {
            false
        } orElse: { [outcome] in
            outcome.noteFailure()
        }
        await messages.finish(patience: Self.long, afterCut: Self.long)
        #expect(outcome.cancelledFailures == [false])
        // Nothing is left.
        await messages.finish(patience: Self.long, afterCut: Self.long)
        #expect(outcome.cancelledFailures.count == 1)
    }
}
