import ArgumentParser
import Clients
import Domain

/// The alert that a command means.
struct AlertOptions: ParsableArguments {
    @Argument(help: "The alert's id, or the name of the person who needs help.")
    var alert: String
}

/// A report as typed on the command line.
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
            discussion:
                "You get no SMS and no call about it until it is repeated; the next one is asked.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var options: AlertOptions

        func perform(_ session: ClientSession) async throws -> Answer {
            var snapshot = try await session.loadSnapshot()
            let id = try snapshot.alertID(options.alert)
            let record = try await session.values.alertClient.decline(id)
            snapshot = try await session.snapshot()
            return Answer(
                lines: [
                    record.isActive
                        ? "You have said that you can't. The others are asked."
                        : "This alert has ended: there was nothing to do.",
                    AlertText.line(record, in: snapshot, ClientProcess.words),
                ],
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
            let id = try snapshot.alertID(options.alert)
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
                Everyone is told what you report, and nobody is alerted again for 12 hours. The \
                alert stays \
                open: only the person who needs help ends it.
                """)

        @OptionGroup var client: ClientOptions
        @OptionGroup var options: AlertOptions

        @Argument(help: "with-them, found-safe or emergency-services-called.")
        var report: ReportArgument

        func perform(_ session: ClientSession) async throws -> Answer {
            let id = try await session.loadSnapshot().alertID(options.alert)
            let record = try await session.values.alertClient.report(id, report.report)
            return try await Alert.answer("Reported.", record, session)
        }
    }

    struct Resume: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have everyone alerted again in spite of a report. Needs a connection.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var options: AlertOptions

        func perform(_ session: ClientSession) async throws -> Answer {
            let snapshot = try await session.loadSnapshot()
            let id = try snapshot.alertID(options.alert)
            guard snapshot.alert(id).map({ $0.report != nil }) ?? true else {
                throw CommandFailure(
                    .refused, "no-report", title: "There is no report",
                    "Nothing keeps the others from being alerted again.")
            }
            let record = try await session.values.alertClient.resume(id)
            return try await Alert.answer("Everyone is alerted again.", record, session)
        }
    }

    /// An alert that is over stays as it is: nobody is told of anything.
    private static func answer(
        _ done: String, _ record: AlertRecord, _ session: ClientSession
    ) async throws -> Answer {
        let snapshot = try await session.snapshot()
        return Answer(
            lines: [
                record.isActive
                    ? "\(done) Everyone is told."
                    : "This alert has ended: there was nothing to do.",
                AlertText.line(record, in: snapshot, ClientProcess.words),
            ],
            json: DoneView(
                "alert", AlertView(record, in: snapshot, isWhole: true), isWaiting: false))
    }
}

/// `Report` names a command here.
typealias Answer = Report

extension Snapshot {
    /// The alert that a person typed: its id, or the name of who needs help. Throws
    /// `CommandFailure`.
    func alertID(_ text: String) throws -> AlertID {
        if let id = AlertID(text) { return id }
        let contact = try contact(text)
        guard
            let open = AlertRules.mostUrgent(of: contact.id, among: alerts).flatMap({
                AlertID($0.id)
            })
        else {
            throw CommandFailure(
                .refused, "no-alert", title: "There is no alert",
                "\(Plain.name(contact.name)) has no open alert.")
        }
        return open
    }

    func alert(_ id: AlertID) -> AlertRecord? { alerts.first { AlertID($0.id) == id } }

    /// The reader is on it.
    func isMine(_ alert: AlertRecord) -> Bool {
        profile.map { me in alert.acknowledgement.flatMap { UserID($0.responderId) } == me.id }
            ?? false
    }
}
