import API
import Foundation
import SeededGenerator
import Synchronization

@testable import ClientsLive

/// A transport that cuts, delays, duplicates and reorders requests. The same seed causes the same
/// faults. After a given number of faults, the transport works without faults.
final class ChaosTransport: Transport {
    private struct State {
        var dice: SeededGenerator
        var faultsLeft: Int
        /// Requests that reach the server only after later ones.
        var late: [TransportRequest] = []
        var log: [String] = []
    }

    private enum Fate { case sound, cutBefore, cutAfter, doubled, late, unavailable, hurried }

    private let transport: any Transport
    private let state: Mutex<State>

    init(_ transport: any Transport, seed: UInt64, faults: Int) {
        self.transport = transport
        state = Mutex(State(dice: SeededGenerator(seed: seed), faultsLeft: faults))
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (fate, overdue) = state.withLock { state -> (Fate, [TransportRequest]) in
            guard state.faultsLeft > 0 else { return (.sound, []) }
            let fate: Fate = [
                .sound, .cutBefore, .cutAfter, .doubled, .late, .unavailable, .hurried,
            ][Int.random(in: 0..<7, using: &state.dice)]
            if case .sound = fate {} else { state.faultsLeft -= 1 }
            if case .late = fate { state.late.append(request) }
            // Some of the late requests arrive now, in random order.
            var overdue: [TransportRequest] = []
            while !state.late.isEmpty, Int.random(in: 0..<3, using: &state.dice) == 0 {
                overdue.append(
                    state.late.remove(at: Int.random(in: 0..<state.late.count, using: &state.dice)))
            }
            return (fate, overdue)
        }
        // The late requests arrive either before or after the current request.
        if case .hurried = fate {
        } else {
            for late in overdue { _ = try await transport.send(late) }
        }
        switch fate {
        case .sound: return try await transport.send(request)
        case .hurried:
            let answer = try await transport.send(request)
            for late in overdue { _ = try await transport.send(late) }
            return answer
        case .cutBefore, .late: throw ClientFailure.unreachable(.timedOut)
        case .cutAfter:
            _ = try await transport.send(request)
            throw ClientFailure.unreachable(.interrupted)
        case .doubled:
            _ = try await transport.send(request)
            return try await transport.send(request)
        case .unavailable: return try .problem(.unavailable, retryAfter: 1)
        }
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        let isCut = state.withLock { state in
            guard state.faultsLeft > 0 else { return false }
            state.faultsLeft -= 1
            return Bool.random(using: &state.dice)
        }
        if isCut { throw ClientFailure.unreachable(.interrupted) }
        return try await transport.stream(request)
    }

    /// Delivers all late requests.
    func deliverTheLate() async throws {
        for request in state.withLock({ state in
            defer { state.late = [] }
            return state.late.shuffled(using: &state.dice)
        }) { _ = try await transport.send(request) }
    }
}

/// A transport that a test cuts and restores.
final class Cable: Transport {
    private let transport: any Transport
    private let plugged = Mutex(true)
    private let book = Mutex<[String]>([])
    private let requests = Mutex<[TransportRequest]>([])

    init(_ transport: any Transport) { self.transport = transport }

    var isPlugged: Bool {
        get { plugged.withLock { $0 } }
        set { plugged.withLock { $0 = newValue } }
    }

    /// The requests that were sent, in the form `PUT /v1/alerts/…`.
    var sent: [String] { book.withLock { $0 } }

    /// The bodies of the requests to this path, in the order of sending.
    func bodies(to path: String) -> [Data] {
        requests.withLock { $0 }.filter { $0.path == path }.map(\.body)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard isPlugged else { throw ClientFailure.unreachable(.offline) }
        book.withLock { $0.append("\(request.method.rawValue) \(request.path)") }
        requests.withLock { $0.append(request) }
        return try await transport.send(request)
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        guard isPlugged else { throw ClientFailure.unreachable(.offline) }
        return try await transport.stream(request)
    }
}
