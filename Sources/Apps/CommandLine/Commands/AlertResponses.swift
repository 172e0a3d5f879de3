import ArgumentParser
import Clients
import Domain
import Foundation

struct AlertOptions: ParsableArguments {
    @Argument(help: "The alert's id, or the name of the person who needs help.")
    var alert: String
}

enum ReportArgument: String, ExpressibleByArgument, CaseIterable {
    case withThem = "with-them"
    case foundSafe = "found-safe"
    case emergencyServicesCalled = "emergency-services-called"

    var report: AlertReport {
        switch self {
        case .withThem: .withThem
        case .foundSafe: .foundSafe
        case .emergencyServicesCalled: .emergencyServicesCalled
        }
    }
}

extension Alert {
    struct Decline: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say \"I can't\" to the alert of someone you watch over. Needs a connection.",
            discussion: """
                You get no SMS or call about it until it is repeated. The next responder is asked.
                """)

        @OptionGroup var client: ClientOptions
        @OptionGroup var options: AlertOptions

        func perform(_ session: ClientSession) async throws -> Answer {
            var snapshot = try await session.loadSnapshot()
            let id = try await session.alertToAnswer(options.alert, in: snapshot)
            let record = try await session.values.alertClient.decline(id)
            snapshot = try await session.snapshot()
            return Answer(
                lines: [
                    AlertText.declined(
                        record, by: snapshot.profile?.id,
                        hasAccepted: snapshot.seesReports(on: record)),
                    AlertText.line(record, in: snapshot, session.words),
                ] + AlertText.stillOpen(besides: record, in: snapshot, session.words),
                json: DoneView("alert", AlertView(record, in: snapshot), isWaiting: false))
        }
    }

    struct Withdraw: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say that you can't help after all. Needs a connection.",
            discussion: "Everyone is told at once, and is alerted again until someone takes it on."
        )

        @OptionGroup var client: ClientOptions
        @OptionGroup var options: AlertOptions

        func perform(_ session: ClientSession) async throws -> Answer {
            let snapshot = try await session.loadSnapshot()
            let id = try snapshot.alertID(options.alert, preferring: snapshot.isMine)
            guard snapshot.alert(id).map(snapshot.isMine) ?? true else {
                throw CommandFailure(
                    .refused, "not-on-it", title: "You are not on it",
                    "There is nothing to withdraw.")
            }
            let record = try await session.values.alertClient.withdraw(id)
            return try await Alert.answer("You are no longer on it.", record, session)
        }
    }

    struct Report: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Report what you found. Needs a connection.",
            discussion: """
                Everyone is told what you report, and no one is alerted again for 12 hours. The \
                alert stays open: only the person who needs help ends it.
                """)

        @OptionGroup var client: ClientOptions
        @OptionGroup var options: AlertOptions

        @Argument(help: "with-them, found-safe or emergency-services-called.")
        var report: ReportArgument

        @Flag(help: "Report without asking first.")
        var yes = false

        func perform(_ session: ClientSession) async throws -> Answer {
            let snapshot = try await session.loadSnapshot()
            let id = try snapshot.alertID(options.alert, preferring: snapshot.isMine)
            let name = snapshot.alert(id).map { snapshot.name(of: $0.userId) } ?? "Someone"
            if !yes {
                try await client.confirm(
                    """
                    No one is alerted again for 12 hours, unless \(name) or another responder asks \
                    for it.
                    """, "Report it?", orElse: "Nothing was reported")
            }
            let record = try await session.values.alertClient.report(id, report.report)
            return try await Alert.answer("Reported.", record, session)
        }
    }

    struct Resume: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lift a report. Needs a connection.",
            discussion: """
                Everyone is alerted again, unless another responder is on the alert. Without an \
                argument: your own alert, because the report is not true.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "The alert's id, or the name of the person who needs help.")
        var alert: String?

        func perform(_ session: ClientSession) async throws -> Answer {
            let snapshot = try await session.loadSnapshot()
            let id =
                try alert.map { text in
                    try snapshot.alertID(text) { $0.report != nil }
                } ?? snapshot.ownReportedAlert()
            let mayHaveReport = snapshot.alert(id).map {
                $0.report != nil || !snapshot.seesReports(on: $0)
            }
            guard mayHaveReport ?? true else {
                throw CommandFailure(
                    .refused, "no-report", title: "There is no report",
                    "No report keeps the others from being alerted.")
            }
            let record = try await session.values.alertClient.resume(id)
            let done =
                record.acknowledgement.map {
                    "The report no longer counts, and \(Plain.name($0.name)) is on it."
                } ?? "Everyone is alerted again."
            return try await Alert.answer(done, record, session)
        }
    }

    /// Returns the report after an answer to an alert. An answer to an ended alert does nothing.
    /// Loads the other alerts again, because the person may have thought about a question.
    private static func answer(
        _ done: String, _ record: AlertRecord, _ session: ClientSession
    ) async throws -> Answer {
        let snapshot: Snapshot
        if let fresh = try? await session.loadSnapshot() {
            snapshot = fresh
        } else {
            snapshot = try await session.snapshot()
        }
        return Answer(
            lines: [
                record.isActive
                    ? "\(done) Everyone is being told."
                    : "This alert has ended: there was nothing to do.",
                AlertText.line(record, in: snapshot, session.words),
            ] + AlertText.stillOpen(besides: record, in: snapshot, session.words),
            json: DoneView(
                "alert", AlertView(record, in: snapshot, isWhole: true), isWaiting: false))
    }
}

/// The report that a command prints. Inside `Alert`, the name `Report` means a subcommand.
typealias Answer = Report

extension ClientSession {
    /// Returns the alert that "I'm on it" or "I can't" answers. A name means the person's most
    /// urgent alert that no responder is on and that the user hasn't declined. Throws
    /// `CommandFailure`.
    func alertToAnswer(_ text: String, in snapshot: Snapshot) async throws -> AlertID {
        let id = try snapshot.alertID(text)
        guard AlertID(text) == nil, let me = snapshot.profile?.id else { return id }
        let open = AlertRules.open(of: try snapshot.contact(text).id, among: snapshot.alerts)
        guard open.count > 1 else { return id }
        let untaken = open.filter { $0.acknowledgement == nil }.compactMap { AlertID($0.id) }
        for alert in untaken {
            // The list lacks the history.
            let details = try? await values.alertClient.alert(alert)
            if details?.isDeclined(by: me) != true { return alert }
        }
        return untaken.first ?? id
    }
}

extension Snapshot {
    /// Returns the alert's id. `text` is an id or the name of the person who needs help. A name
    /// means the most urgent open alert that `isPreferred` accepts, or else the most urgent one.
    /// Throws `CommandFailure`.
    func alertID(
        _ text: String, preferring isPreferred: (AlertRecord) -> Bool = { _ in true }
    ) throws -> AlertID {
        if let id = AlertID(text) { return id }
        let contact = try contact(text)
        let open = AlertRules.open(of: contact.id, among: alerts)
        guard let id = (open.first(where: isPreferred) ?? open.first).flatMap({ AlertID($0.id) })
        else {
            throw CommandFailure(
                .refused, "no-alert", title: "There is no alert",
                "\(Plain.name(contact.name)) has no open alert.")
        }
        return id
    }

    /// Returns the user's own open alert, preferably with a responder's report. Throws
    /// `CommandFailure` if none is open.
    func ownReportedAlert() throws -> AlertID {
        let own = openAlerts.filter(isOwn)
        guard let id = (own.first { $0.report != nil } ?? own.first).flatMap({ AlertID($0.id) })
        else {
            throw CommandFailure(
                .refused, "no-alert", title: "There is no alert", "You have no open alert.")
        }
        return id
    }

    func alert(_ id: AlertID) -> AlertRecord? { alerts.first { AlertID($0.id) == id } }

    /// Returns the other open alerts of the same person that the user is on.
    func helpedAlerts(besides alert: AlertRecord) -> [AlertID] {
        guard let owner = UserID(alert.userId) else { return [] }
        return AlertRules.open(of: owner, among: alerts)
            .filter { $0.id != alert.id && isMine($0) }.compactMap { AlertID($0.id) }
    }

    func isMine(_ alert: AlertRecord) -> Bool {
        profile.map { me in alert.acknowledgement.flatMap { UserID($0.responderId) } == me.id }
            ?? false
    }
}
