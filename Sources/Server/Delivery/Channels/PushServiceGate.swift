import Domain
import Foundation
import Synchronization

/// Keeps a push service that fails or hangs from using up the connections that other services need.
/// A 4xx status concerns one subscription, so it isn't a failure of the service.
final class PushServiceGate: Sendable {
    /// A push service counts as down after this many consecutive failures, for any recipients.
    static let failureLimit = 16
    /// How often to probe a service that is down.
    static let pauseBetweenProbes: Duration = .seconds(1)
    /// The maximum wait for a free place. Messages don't wait if the service hasn't responded for
    /// this long.
    static let patience: Duration = .milliseconds(500)

    /// The maximum number of services with remembered failures.
    private static let memory = 1_000

    fileprivate struct Service {
        var underWay = 0
        var failures = 0
        var probedAt: Date?
        /// The time of the last answer, or of the first message after an idle time.
        var respondedAt: Date?
        /// Messages that wait for a free place, oldest first.
        var waiting: [(number: Int, entry: CheckedContinuation<Bool, Never>)] = []
    }

    private struct State {
        var services: [String: Service] = [:]
        var lastNumber = 0
    }

    private let share: Int
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async -> Void
    private let state = Mutex(State())

    /// - Parameter share: the maximum number of messages in flight to one service.
    init(
        share: Int, now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.share = share
        self.now = now
        self.sleep = sleep
    }

    /// Waits for a free place. Returns false if the message must be retried later. After true, the
    /// caller must call `leave`.
    func enter(_ origin: String) async -> Bool {
        await withCheckedContinuation { entry in
            let now = now()
            let (answer, number) = state.withLock { state -> (Bool?, Int) in
                var service = state.services[origin] ?? Service()
                let answer = service.enter(share: share, at: now)
                state.lastNumber += 1
                if answer == nil { service.waiting.append((state.lastNumber, entry)) }
                state.services[origin] = service
                return (answer, state.lastNumber)
            }
            if let answer { return entry.resume(returning: answer) }
            Task {
                await sleep(Self.patience)
                giveUp(number, at: origin)
            }
        }
    }

    private func giveUp(_ number: Int, at origin: String) {
        let entry = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let waiting = state.services[origin]?.waiting,
                let index = waiting.firstIndex(where: { $0.number == number })
            else { return nil }
            return state.services[origin]?.waiting.remove(at: index).entry
        }
        entry?.resume(returning: false)
    }

    /// - Parameter isAnswered: false for a 5xx status and for a missing response.
    func leave(_ origin: String, isAnswered: Bool) {
        let now = now()
        typealias Entries = [CheckedContinuation<Bool, Never>]
        let (entered, refused) = state.withLock { state -> (Entries, Entries) in
            guard var service = state.services[origin] else { return ([], []) }
            service.underWay -= 1
            service.failures = isAnswered ? 0 : service.failures + 1
            if isAnswered { service.respondedAt = now }
            let isFailing = service.failures >= Self.failureLimit
            let free = isFailing ? 0 : max(0, share - service.underWay)
            let entered = service.waiting.prefix(free).map(\.entry)
            let refused = isFailing ? service.waiting.map(\.entry) : []
            service.waiting.removeFirst(isFailing ? refused.count : entered.count)
            service.underWay += entered.count
            // Users can register any number of origins, so only needed entries stay in memory.
            let isNeeded =
                service.underWay > 0
                || service.failures > 0 && state.services.count <= Self.memory
            state.services[origin] = isNeeded ? service : nil
            return (entered, refused)
        }
        for entry in entered { entry.resume(returning: true) }
        for entry in refused { entry.resume(returning: false) }
    }

    func waiting(at origin: String) -> Int {
        state.withLock { $0.services[origin]?.waiting.count ?? 0 }
    }
}

extension PushServiceGate.Service {
    /// Takes a place. Returns false if the message must be retried later, and nil if it should
    /// wait.
    fileprivate mutating func enter(share: Int, at now: Date) -> Bool? {
        if failures >= PushServiceGate.failureLimit {
            if let last = probedAt, now >= last,
                now.since(last) < PushServiceGate.pauseBetweenProbes
            {
                return false
            }
            guard underWay < share else { return false }
            probedAt = now
        }
        guard underWay < share else {
            let isStuck = respondedAt.map { now.since($0) >= PushServiceGate.patience } ?? false
            return isStuck ? false : nil
        }
        if underWay == 0 { respondedAt = now }
        underWay += 1
        return true
    }
}
