import Domain
import Foundation
import Persistence
import SafetyNetwork

extension Examination {
    /// The tolerated clock difference. It is larger than the error of clocks that NTP synchronises.
    private static let notableGap: Duration = .seconds(1)

    /// Checks that a PostgreSQL database has what its servers need. Changes nothing.
    static func postgreSQL(
        _ address: PostgreSQLAddress, _ settings: ServeSettings
    ) -> [Examination] {
        do {
            let found = try PostgreSQLInspection(address, now: { Date() })
            let examinations: [Examination?] = [
                schema(found, address), connections(found, settings), replicas(found),
                databaseClock(found),
                key(
                    settings, fingerprint: found.keyFingerprint, former: found.formerKeys,
                    elsewhere: "another server of this database"),
                pushKey(
                    sealed: found.sealedPushKey, fingerprint: found.keyFingerprint, settings),
                waitingMessages(found.retryingTexts),
            ]
            return examinations.compactMap(\.self)
                + budgets(settings.reach.budgets, found.spending)
                + [channels(found.runningChannels, settings)].compactMap(\.self)
        } catch {
            var mend = "Check the URL, and that PostgreSQL runs and lets this machine in."
            if case DatabaseError.newerVersion = error {
                mend = "Install the newer LifeSignal that has used this database."
            }
            return [.init(grade: .bad, subject: "database", finding: "\(error)", mend: mend)]
        }
    }

    private static func schema(
        _ found: PostgreSQLInspection, _ address: PostgreSQLAddress
    ) -> Examination {
        let newest = PostgreSQLInspection.newestSchema
        let subject = "database"
        let place = "\(address), version \(found.version)"
        switch found.schemaVersion {
        case 0:
            return .init(
                grade: .note, subject: subject, finding: "\(place), is empty",
                mend: "lifesignal serve makes the tables, lifesignal migrate fills them.")
        case newest:
            return .init(
                grade: .good, subject: subject, finding: "\(place), schema version \(newest)")
        default:
            return .init(
                grade: .note, subject: subject,
                finding: "\(place), has schema version \(found.schemaVersion)",
                mend: "lifesignal serve brings it to version \(newest).")
        }
    }

    /// Checks the connections for a start of this machine's server. Those that it holds now are
    /// free by then. One server needs the configured number for writes, and half as many for reads.
    /// It needs two each for urgent reads, finding callers, and hints.
    private static func connections(
        _ found: PostgreSQLInspection, _ settings: ServeSettings
    ) -> Examination {
        let writes = settings.databaseConnections
        let needed = writes + max(2, writes / 2) + 6
        let free = found.freeConnections + found.ownConnections
        let finding = "\(free) are free or this machine's, and a server takes up to \(needed)"
        return free < needed
            ? .init(
                grade: .bad, subject: "connections", finding: finding,
                mend: "Raise max_connections in postgresql.conf, or lower --database-connections.")
            : .init(grade: .good, subject: "connections", finding: finding)
    }

    private static func replicas(_ found: PostgreSQLInspection) -> Examination {
        let subject = "replicas"
        switch found.replicas {
        case .none:
            return .init(
                grade: .note, subject: subject,
                finding: "no commit waits for one: a lost disk loses what was acknowledged",
                mend: "Set synchronous_standby_names, or use Deploy/patroni.")
        case .hidden:
            return .init(
                grade: .note, subject: subject,
                finding: "commits wait for some; which are connected can't be seen by this role",
                mend: "As a superuser: GRANT pg_monitor TO the role of --database.")
        case .connected(0):
            return .init(
                grade: .bad, subject: subject,
                finding: "commits wait for one, but none is connected: no write can finish",
                mend: "Start a replica that synchronous_standby_names names.")
        case .connected(let count):
            return .init(
                grade: .good, subject: subject, finding: "each commit waits for \(count)")
        }
    }

    /// Compares the settings with the channels of the servers that run; nil if they lack none.
    private static func channels(
        _ running: Set<DeliveryChannel>, _ settings: ServeSettings
    ) -> Examination? {
        let hasSMS = if case .none = settings.sms { false } else { true }
        let own = SafetyNetwork.Options(settings, hasSMS: hasSMS).channels
        let lacking = running.subtracting(own)
        guard !lacking.isEmpty else { return nil }
        return .init(
            grade: .note, subject: "channels",
            finding: "\(ServerLife.sentByOthers(lacking)), and these settings don't",
            mend: "Give all servers the same channels.")
    }

    private static func databaseClock(_ found: PostgreSQLInspection) -> Examination {
        let subject = "clock"
        let gap = found.clockGap
        guard gap > notableGap || gap < .zero - notableGap else {
            return .init(
                grade: .good, subject: subject, finding: "the database's clock, which all follow")
        }
        let seconds = abs(gap.components.seconds)
        return .init(
            grade: .note, subject: subject,
            finding: """
                the database's clock is \(seconds) s \(gap > .zero ? "ahead of" : "behind") \
                this machine's; the servers follow the database's
                """,
            mend: "timedatectl set-ntp true, on both machines")
    }
}
