import Clients
import Domain
import Features
import Foundation

/// Follows the server. Releases the home's lock when another command needs it.
struct Watcher {
    enum Pulse: Sendable {
        case change(@Sendable (inout Snapshot) -> Void)
        case refusal(RefusedAction)
        case tick
        /// Another command waits for the lock.
        case wanted
        /// The session ended with these unsent actions.
        case signedOut([WaitingAction])
        case end
    }

    enum End { case ended, wanted, signedOut([WaitingAction]) }

    let home: Home
    let lock: HomeLock
    let face: any WatchFace
    let end: Date?

    /// Returns when the person ends the watch. Throws `CommandFailure` if the session has ended.
    func run() async throws {
        let signals = Signals()
        var snapshot: Snapshot?
        while true {
            let session: ClientSession
            do {
                session = try await ClientSession.open(home, follows: true)
            } catch {
                throw CommandFailure(catching: error)
            }
            let outcome = await follow(session, signals, &snapshot)
            let words = session.words
            await session.close()
            switch outcome {
            case .ended: return
            case .signedOut(let unsent):
                home.removeCopy()
                let failure =
                    unsent.isEmpty
                    ? CommandFailure.notSignedIn
                    : CommandFailure(UserFacingError.signedOut(with: unsent))
                guard !unsent.contains(where: { $0.kind == .raiseAlert }) else { throw failure }
                throw failure.adding(
                    snapshot.map { AlertText.openAtSignOut($0, words) } ?? [])
            case .wanted:
                lock.release()
                guard await retake(signals) else { return }
            }
        }
    }

    /// Waits for the lock after releasing it. Returns false if the watch ends meanwhile.
    private func retake(_ signals: Signals) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await lock.retake()) != nil }
            group.addTask {
                while !Task.isCancelled, !signals.isEnded, !isOver {
                    try? await Task.sleep(for: .milliseconds(100))
                }
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }

    private var isOver: Bool { end.map { $0 <= Date() } ?? false }

    private func follow(_ session: ClientSession, _ signals: Signals, _ shown: inout Snapshot?)
        async -> End
    {
        let (pulses, sender) = AsyncStream.makeStream(of: Pulse.self)
        let tasks = feeds(session, signals, sender)
        defer { for task in tasks { task.cancel() } }
        var snapshot = (try? await session.snapshot()) ?? Snapshot()
        snapshot.drills = shown?.drills ?? []
        let grace = ConnectionGrace(after: shown, at: .now)
        for await pulse in pulses {
            switch pulse {
            case .change(let change): change(&snapshot)
            case .refusal(let refusal): face.report(refusal)
            case .tick: break
            case .wanted: return .wanted
            case .signedOut(let unsent): return .signedOut(unsent)
            case .end: return .ended
            }
            // Shows nothing before the first data. Changes are relative to the last shown snapshot.
            guard snapshot.profile != nil, snapshot.connectivity.lastSynced != nil else {
                face.wait(in: session.words)
                continue
            }
            var visible = snapshot
            visible.connectivity = grace.visible(snapshot.connectivity, at: .now)
            visible.isConnecting = grace.isConnecting(snapshot.connectivity, at: .now)
            guard face.show(visible, since: shown, in: session.words) else { return .ended }
            shown = visible
        }
        return .ended
    }

    private func feeds(
        _ session: ClientSession, _ signals: Signals, _ sender: AsyncStream<Pulse>.Continuation
    ) -> [Task<Void, Never>] {
        let values = session.values
        func feed<Value: Sendable>(
            _ stream: AsyncStream<Value>, _ pulse: @escaping @Sendable (Value) -> Pulse
        ) -> Task<Void, Never> {
            Task { for await value in stream { sender.yield(pulse(value)) } }
        }
        return [
            feed(values.userClient.profileStream()) { value in .change { $0.profile = value } },
            feed(values.contactClient.contactsStream()) { value in .change { $0.contacts = value }
            },
            feed(values.alertClient.alertsStream()) { value in .change { $0.alerts = value } },
            feed(values.pingClient.pingsStream()) { value in .change { $0.pings = value } },
            feed(values.notificationClient.notificationStream()) { value in
                .change { $0.notifications = value }
            },
            feed(values.connectivityClient.status()) { value in .change { $0.connectivity = value }
            },
            feed(values.connectivityClient.refusals()) { .refusal($0) },
            feed(values.authClient.sessionEnded()) { .signedOut($0) },
            Task { await followDrills(session, sender) },
            Task {
                var turn = 0
                while !Task.isCancelled {
                    if signals.isEnded || isOver || !ClientProcess.hasReader { sender.yield(.end) }
                    if lock.isWanted { sender.yield(.wanted) }
                    if turn % 10 == 0 { sender.yield(.tick) }
                    turn += 1
                    try? await Task.sleep(for: .milliseconds(100))
                }
            },
        ]
    }
}

extension Watcher {
    /// Loads the drills at the start and after each `.system` notification, which may announce one.
    private func followDrills(
        _ session: ClientSession, _ sender: AsyncStream<Pulse>.Continuation
    ) async {
        var newest: NotificationID?
        var loading = Task { await loadDrills(session, sender) }
        for await items in session.values.notificationClient.notificationStream() {
            let present = items.first { $0.type == .system }?.id
            guard present != newest else { continue }
            newest = present
            loading.cancel()
            loading = Task { await loadDrills(session, sender) }
        }
        loading.cancel()
    }

    /// Loads the drills, again after a failure, and while one waits for the user's answer.
    private func loadDrills(
        _ session: ClientSession, _ sender: AsyncStream<Pulse>.Continuation
    ) async {
        var mayChange = true
        while mayChange, !Task.isCancelled {
            let drills = await session.drills()
            guard !Task.isCancelled else { return }
            if let drills { sender.yield(.change { $0.drills = drills }) }
            mayChange = drills?.isEmpty != true
            if mayChange { try? await Task.sleep(for: DrillFeature.pause) }
        }
    }
}

/// Hides for a few seconds that the stream is not yet open: at the start, and after the watch
/// stepped aside for another command.
struct ConnectionGrace {
    /// How long a new stream may take before the watch counts as offline.
    static let length: Duration = .seconds(5)

    /// nil while the watch is still connecting.
    private let wasOnline: Bool?
    private let end: ContinuousClock.Instant

    /// - Parameter shown: the snapshot from before the watch stepped aside; nil at its start.
    init(after shown: Snapshot?, at now: ContinuousClock.Instant) {
        wasOnline = shown.flatMap { $0.isConnecting ? nil : $0.connectivity.isOnline }
        end = now + Self.length
    }

    /// Returns the connection to show.
    func visible(
        _ connectivity: Connectivity, at now: ContinuousClock.Instant
    ) -> Connectivity {
        guard wasOnline == true, now < end else { return connectivity }
        var visible = connectivity
        visible.isOnline = true
        return visible
    }

    /// Returns true if the server may still give its first answer.
    func isConnecting(_ connectivity: Connectivity, at now: ContinuousClock.Instant) -> Bool {
        wasOnline == nil && now < end && !connectivity.isOnline
    }
}
