import Delivery
import Domain
import Foundation
import SafetyNetwork

/// When the other background loops make their next passes, in true times. Passes that can find
/// nothing are left out.
struct Chores: Sendable {
    enum Kind: CaseIterable, Sendable {
        case announcements, moves, keys, reach, repairs, copies, devices
    }

    private var due: [Kind: Date]

    /// Each loop begins with a pass.
    init(from start: Date) {
        let first = start.adding(.seconds(1))
        due = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, first) })
    }

    var next: Date { due.values.min() ?? .distantFuture }

    mutating func plan(_ kind: Kind, at time: Date) {
        due[kind] = min(due[kind] ?? .distantFuture, time)
    }

    mutating func take(by now: Date) -> Kind? {
        let kind = Kind.allCases.first { due[$0].map { $0 <= now } ?? false }
        if let kind { due[kind] = nil }
        return kind
    }
}

extension Simulator {
    /// A full disk lasts, so a failed pass is repeated less often than in a server.
    private static let pauseAfterFailure: Duration = .seconds(30)
    /// The longest pauses of `BackgroundWork`, or longer if a pass costs much.
    private static let pauseBetweenMoves: Duration = .minutes(1)
    private static let pauseBetweenUpdates: Duration = .minutes(5)
    private static let pauseBetweenRepairs: Duration = .hours(6)

    /// Makes one pass. Returns false if none is due.
    func runChores() async -> Bool {
        guard let server, let chore = chores.take(by: now) else { return false }
        do {
            try await run(chore, server)
        } catch {
            chores.plan(chore, at: now.adding(Self.pauseAfterFailure))
            if server.disk.condition == .fine, brokenPeople.isEmpty {
                note("unexpected", "the pass of \(chore) failed: \(error)")
            }
        }
        return true
    }

    private func run(_ chore: Chores.Kind, _ server: Server) async throws {
        let network = server.network
        switch chore {
        case .announcements: while try await network.announcements.pass() {}
        case .moves:
            _ = try await network.numberMoves.pass()
            // A move of a locked account waits for the end of the lock.
            let next = truth.accounts.compactMap { account -> Date? in
                account?.isLocked == false ? account?.move?.dueAt : nil
            }.min()
            if let next {
                chores.plan(.moves, at: max(next, now).adding(Self.pauseBetweenMoves))
            }
        case .keys: try await network.keyRotation.renew()
        case .copies: try await copyDocuments(server)
        case .reach:
            let due = try await server.reachNews.pass(network)
            let pause = due.since(server.clock.now())
            // Without waiting people, the next pass is a minute away and finds nothing.
            if pause < .seconds(59) {
                chores.plan(.reach, at: now.adding(max(pause, .seconds(1))))
            }
        case .devices:
            let outside = world.outside
            let due = try await server.refresh.pass(server.disk) { outside.wake($0) }
            if let due {
                let pause = max(due.since(server.clock.now()), .seconds(1))
                chores.plan(.devices, at: now.adding(min(pause, Self.pauseBetweenUpdates)))
            }
        case .repairs:
            chores.plan(.repairs, at: now.adding(Self.pauseBetweenRepairs))
            chores.plan(.reach, at: now)
            _ = try await network.planRepair.repair()
            _ = try await network.sources.tellOfSilence()
            try await network.reach.warnOfSilence()
            _ = try await network.silentEndpoints.testSilentDevices()
        }
    }
}
