import API
import ClientsLive
import Foundation
import SeededGenerator
import Simulation
import Synchronization

/// A connection that delays, reorders, duplicates and cuts off requests, by its seed.
final class BadConnection: Transport {
    private static let longest = 6_000
    /// The longest time from a device to the server.
    static let longestWay = Duration.milliseconds(longest)

    enum Quality: Sendable, CaseIterable {
        /// Each way takes 20 to 80 ms. Nothing is lost.
        case good
        /// Each way takes about 3 s. Nothing is lost.
        case slow
        /// Every kind of fault occurs.
        case bad
        /// The device has no network and knows it.
        case offline
        /// The device believes that it has a network, but nothing gets through.
        case dead
    }

    private struct State {
        var quality = Quality.good
        var chance: SeededGenerator
        var cut: [Int: @Sendable () -> Void] = [:]
        var next = 0
        var callsUnderWay = 0
        /// The number of the stream's next events to lose.
        var toLose = 0
        var onLoss: (@Sendable () -> Void)?
    }

    private let server: @Sendable () -> any Transport
    private let clock = VirtualClock()
    private let state: Mutex<State>
    private let tell: @Sendable (String) -> Void
    private let strangeAnswers: Int

    /// - Parameters:
    ///   - tell: called with a description of each call and its outcome.
    ///   - server: returns a transport without faults to the server.
    init(
        seed: UInt64, strangeAnswers: Int, tell: @escaping @Sendable (String) -> Void,
        _ server: @escaping @Sendable () -> any Transport
    ) {
        self.server = server
        self.strangeAnswers = strangeAnswers
        self.tell = tell
        state = Mutex(State(chance: SeededGenerator(seed: seed)))
    }

    var quality: Quality { state.withLock { $0.quality } }
    var callsUnderWay: Int { state.withLock { $0.callsUnderWay } }

    /// Loses the next events of the stream. The stream breaks within a minute.
    func loseEvents(_ count: Int, onLoss: @escaping @Sendable () -> Void) {
        state.withLock { ($0.toLose, $0.onLoss) = (count, onLoss) }
    }

    /// Changes the network. Open requests and streams end.
    func change(to quality: Quality) {
        let cut = state.withLock { state in
            guard state.quality != quality else { return [:] as [Int: @Sendable () -> Void] }
            state.quality = quality
            // On a dead network, the device doesn't notice the cut.
            guard quality != .dead else { return [:] }
            defer { state.cut = [:] }
            return state.cut
        }
        for (_, cut) in cut.sorted(by: { $0.key < $1.key }) { cut() }
    }

    // MARK: Calls

    private struct Fate {
        /// The time until the server receives the request; nil for never.
        var there: Duration?
        /// The time that the answer takes to the client; nil if it never arrives.
        var back: Duration?
        /// The time until the server receives a duplicate; nil for no duplicate.
        var again: Duration?
        /// The time until the client notices that no answer will come; nil if it waits for its time
        /// limit.
        var notice: Duration?
        /// The answer of a proxy in place of the server.
        var strange: TransportResponse?
    }

    private static let strange = [
        TransportResponse(status: 502, body: Data("<html>Bad Gateway</html>".utf8)),
        TransportResponse(status: 200, body: Data("<html>Please pay for this Wi-Fi</html>".utf8)),
        TransportResponse(status: 503, headers: ["retry-after": "7"]),
        TransportResponse(status: 429, headers: ["retry-after": "20"]),
    ]

    private func fate(of request: TransportRequest) -> (Quality, Fate) {
        state.withLock { state in
            let quality = state.quality
            func milliseconds(_ range: Range<Int>) -> Duration {
                .milliseconds(Int.random(in: range, using: &state.chance))
            }
            switch quality {
            case .good:
                return (quality, Fate(there: milliseconds(20..<80), back: milliseconds(20..<80)))
            case .slow:
                return (
                    quality,
                    Fate(there: milliseconds(2_500..<3_500), back: milliseconds(2_500..<3_500))
                )
            case .offline, .dead: return (quality, Fate())
            case .bad:
                var fate = Fate(
                    there: milliseconds(20..<Self.longest), back: milliseconds(20..<Self.longest))
                switch Int.random(in: 0..<8, using: &state.chance) {
                case 0: (fate.there, fate.back, fate.notice) = (nil, nil, milliseconds(10..<3_000))
                case 1: (fate.there, fate.back) = (nil, nil)
                case 2:
                    (fate.back, fate.notice) = (
                        nil, fate.there.map { $0 + milliseconds(10..<3_000) }
                    )
                case 3: fate.back = nil
                // A proxy may resend idempotent requests (RFC 9110, 9.2.2).
                case 4 where request.isRepeatable:
                    fate.again = milliseconds(20..<10_000)
                case 5: (fate.there, fate.back) = (milliseconds(20..<80), milliseconds(20..<80))
                default: break
                }
                if strangeAnswers > 0,
                    Int.random(in: 0..<1_000, using: &state.chance) < strangeAnswers
                {
                    fate.strange = Self.strange.randomElement(using: &state.chance)
                }
                return (quality, fate)
            }
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (quality, fate) = fate(of: request)
        guard quality != .offline else { throw ClientFailure.unreachable(.offline) }
        state.withLock { $0.callsUnderWay += 1 }
        defer { state.withLock { $0.callsUnderWay -= 1 } }
        if let strange = fate.strange {
            try await clock.sleep(for: .milliseconds(80))
            tell("  \(request.method.rawValue) \(request.path): \(strange.status) by a proxy")
            return strange
        }
        if let again = fate.again { echo(request, after: again) }
        let answer = Promise<TransportResponse>()
        if let there = fate.there {
            // The server continues even after the client has given up.
            Task { [server, clock, tell] in
                try await clock.sleep(for: there)
                let response = try await server().send(request)
                tell(
                    """
                      \(request.method.rawValue) \(request.path): \(response.status), \
                    \(response.body.count) bytes
                    """)
                guard let back = fate.back else { return }
                try await clock.sleep(for: back)
                answer.keep(.success(response))
            }
        }
        let notice = min(fate.notice ?? request.timeout, request.timeout)
        let reason: ClientFailure =
            notice < request.timeout ? .unreachable(.interrupted) : .unreachable(.timedOut)
        Scheduler.shared.at(Scheduler.shared.now + notice) { answer.keep(.failure(reason)) }
        let number = whenCut { answer.keep(.failure(ClientFailure.unreachable(.interrupted))) }
        defer { forget(number) }
        return try await answer.value
    }

    private func echo(_ request: TransportRequest, after pause: Duration) {
        Task { [server, clock, tell] in
            try await clock.sleep(for: pause)
            let response = try await server().send(request)
            tell("  \(request.method.rawValue) \(request.path) once more: \(response.status)")
        }
    }

    private func whenCut(_ work: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.cut[state.next] = work
            return state.next
        }
    }

    private func forget(_ number: Int) { state.withLock { _ = $0.cut.removeValue(forKey: number) } }

    // MARK: Streams

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        let (quality, fate) = fate(of: request)
        guard quality != .offline else { throw ClientFailure.unreachable(.offline) }
        guard let there = fate.there, let back = fate.back else {
            try await clock.sleep(for: min(fate.notice ?? request.timeout, request.timeout))
            throw ClientFailure.unreachable(.timedOut)
        }
        try await clock.sleep(for: there)
        let stream = try await server().stream(request)
        try await clock.sleep(for: back)
        // A bad connection cuts a stream off or silences it, within some minutes.
        let end: (after: Duration, isSilent: Bool)? = state.withLock { state in
            guard quality == .bad else { return nil }
            let seconds = Int.random(in: 1..<400, using: &state.chance)
            return (.seconds(seconds), Bool.random(using: &state.chance))
        }
        let delayed = DelayedStream(
            stream.body, isLost: { [weak self] in self?.loses($0) == true },
            delay: { [weak self] in self?.delay ?? .zero })
        let number = whenCut { delayed.cut(ClientFailure.unreachable(.interrupted)) }
        delayed.onEnd { [weak self] in self?.forget(number) }
        if let end {
            Scheduler.shared.at(Scheduler.shared.now + end.after) {
                if end.isSilent {
                    delayed.silence()
                } else {
                    delayed.cut(ClientFailure.unreachable(.interrupted))
                }
            }
        }
        return TransportStream(
            status: stream.status, headers: stream.headers,
            body: AsyncThrowingStream { try await delayed.next() })
    }

    /// Stops losing events. Breaks the stream, which may have lost some.
    func loseNothing() {
        state.withLock { $0.toLose = 0 }
        breakConnections()
    }

    private func loses(_ piece: Data) -> Bool {
        // A keep-alive is not an event.
        guard piece.count > 16 else { return false }
        let (isLost, onLoss) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard state.toLose > 0 else { return (false, nil) }
            state.toLose -= 1
            return (true, state.onLoss.take())
        }
        if let onLoss {
            onLoss()
            Scheduler.shared.at(Scheduler.shared.now + .seconds(45)) { [weak self] in
                self?.loseNothing()
            }
        }
        return isLost
    }

    private func breakConnections() {
        let cut = state.withLock { state in
            // On a dead network, the device doesn't notice the cut.
            guard state.quality != .dead else { return [:] as [Int: @Sendable () -> Void] }
            defer { state.cut = [:] }
            return state.cut
        }
        for (_, cut) in cut.sorted(by: { $0.key < $1.key }) { cut() }
    }

    /// The delay of a stream's next piece; nil if nothing more arrives.
    private var delay: Duration? {
        state.withLock { state in
            switch state.quality {
            case .good: .milliseconds(Int.random(in: 20..<80, using: &state.chance))
            case .slow: .milliseconds(Int.random(in: 2_500..<3_500, using: &state.chance))
            case .bad: .milliseconds(Int.random(in: 20..<8_000, using: &state.chance))
            case .offline, .dead: nil
            }
        }
    }
}

/// A value that is set once. Waiting for it can be cancelled.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, any Error>?)
        case kept(Result<Value, any Error>)
    }
    private let state = Mutex(State.open(nil))

    func keep(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard case .open(let waiter) = state else { return nil }
            state = .kept(result)
            return waiter
        }
        waiter?.resume(with: result)
    }

    var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let known = state.withLock { state -> Result<Value, any Error>? in
                        if case .kept(let result) = state { return result }
                        state = .open(continuation)
                        return nil
                    }
                    if let known { continuation.resume(with: known) }
                }
            } onCancel: {
                keep(.failure(CancellationError()))
            }
        }
    }
}
