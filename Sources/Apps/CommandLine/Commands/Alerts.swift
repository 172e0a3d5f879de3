import ArgumentParser
import Clients
import Domain
import Foundation

struct Alert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Call for help, end it, or take on someone else's alert.",
        subcommands: [
            Start.self, Stop.self, Acknowledge.self, Decline.self, Withdraw.self, Report.self,
            Resume.self, History.self,
        ])

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Call for help: everyone who watches over you is told.",
            discussion: "Offline it is kept, and goes out before everything else.")

        @OptionGroup var client: ClientOptions
        var sendsFirst: Bool { false }
        // A call for help must not wait long for a stopped `watch`.
        var sharesHomeAfter: Duration? { .seconds(5) }

        func perform(_ session: ClientSession) async throws -> Answer {
            // This alert joins the unsent one.
            await session.answerUnsentAlert(isToBeSent: true)
            let submission: Submission<AlertRecord>
            do {
                submission = try await session.note(
                    session.values.alertClient.raise(AlertID(.random())))
            } catch {
                throw AlertText.unraised(CommandFailure(catching: error), wasTried: true)
            }
            // The stored copy may name responders who have left.
            let fresh = await submission.isWaiting ? nil : session.freshSnapshot()
            let snapshot: Snapshot
            if let fresh {
                snapshot = fresh
            } else {
                snapshot = (try? await session.snapshot()) ?? Snapshot()
            }
            let alert = submission.confirmed ?? snapshot.ownAlert
            let lines =
                submission.isWaiting
                ? AlertText.unsent(snapshot, isRateLimited: session.isRateLimited)
                : AlertText.raised(fresh)
            return Answer(
                lines: lines,
                json: DoneView(
                    "alert", alert.map { AlertView($0, in: snapshot) },
                    isWaiting: submission.isWaiting),
                isWaiting: submission.isWaiting,
                ifLost: submission.isWaiting ? AlertText.notSent : "")
        }

        func explain(beforeStart failure: CommandFailure) -> CommandFailure {
            AlertText.unraised(failure, wasTried: false)
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "End your call for help.")

        @OptionGroup var client: ClientOptions
        // A call for help that was raised beside a stopped `watch` can be ended beside it.
        var sharesHomeAfter: Duration? { .seconds(5) }

        func perform(_ session: ClientSession) async throws -> Answer {
            let isDiscarded = await session.answerUnsentAlert(isToBeSent: false)
            do {
                return try await end(
                    session, discarded: isDiscarded ? [AlertText.discarded] : [])
            } catch {
                guard isDiscarded else { throw error }
                var failure = CommandFailure(catching: error)
                failure.error.message += " " + AlertText.discarded
                throw failure
            }
        }

        /// - Parameter discarded: the line about an alert that was discarded unsent, if any.
        private func end(
            _ session: ClientSession, discarded: [String]
        ) async throws -> Answer {
            var snapshot = try await session.loadSnapshot()
            let isFresh = session.isOnline == true
            guard let own = snapshot.ownAlert, let id = AlertID(own.id) else {
                if !discarded.isEmpty {
                    return Answer(
                        lines: discarded,
                        json: DoneView("alert", AlertView?.none, isWaiting: false))
                }
                throw CommandFailure(
                    .refused, "no-alert", title: "There is nothing to end",
                    "You have no open call for help.",
                    """
                    An alert for a missed check-in ends when you check in, and one for a journey \
                    when you arrive: `lifesignal journey arrive`.
                    """)
            }
            let submission = try await session.note(session.values.alertClient.end(id))
            snapshot = try await session.snapshot()
            return Answer(
                lines: discarded + [
                    submission.isWaiting
                        ? "Waiting to be sent: the end of your alert."
                        : AlertText.ended(isFresh ? snapshot : nil)
                ] + AlertText.stillOpen(besides: own, in: snapshot, session.words),
                json: DoneView(
                    "alert", AlertView(submission.confirmed ?? own, in: snapshot),
                    isWaiting: submission.isWaiting),
                isWaiting: submission.isWaiting)
        }
    }

    struct Acknowledge: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Say \"I'm on it\" to the alert of someone you watch over. Needs a connection.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "The alert's id, or the name of the person who needs help.")
        var alert: String

        func perform(_ session: ClientSession) async throws -> Answer {
            var snapshot = try await session.loadSnapshot()
            let id = try await session.alertToAnswer(alert, in: snapshot)
            let record = try await session.values.alertClient.acknowledge(id)
            // A name also answers "Are you still helping?" about the person's other alerts.
            for other in AlertID(alert) == nil ? snapshot.helpedAlerts(besides: record) : [] {
                _ = try? await session.values.alertClient.acknowledge(other)
            }
            snapshot = try await session.snapshot()
            return Answer(
                lines: [
                    AlertText.acknowledged(record, in: snapshot),
                    AlertText.line(record, in: snapshot, session.words),
                ] + AlertText.stillOpen(besides: record, in: snapshot, session.words),
                json: DoneView("alert", AlertView(record, in: snapshot), isWaiting: false))
        }
    }

    struct History: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show your alerts and those of people you watch over, or one step by step."
        )

        @OptionGroup var client: ClientOptions

        @Argument(help: "An alert's id: who did what when, and who was told how.")
        var alert: String?

        @Option(help: "How many, newest first.")
        var limit = 20

        @Flag(help: "As a table of comma-separated values, for other programs.")
        var csv = false

        /// Tells the server that a person has opened the alert. Skipped in scripts, because no
        /// person reads their output.
        private func tellOpening(
            _ alert: AlertRecord, _ id: AlertID, _ session: ClientSession
        ) async {
            let isOwn = try? await session.snapshot().ownAlert?.id == alert.id
            guard alert.isActive, isOwn != true, !client.json,
                ClientProcess.isTerminal(STDOUT_FILENO)
            else { return }
            try? await session.values.alertClient.opened(id)
        }

        func validate() throws {
            if csv, client.json || alert != nil {
                throw ValidationError("--csv goes with neither --json nor one alert.")
            }
            guard (1...50).contains(limit) else { throw ValidationError("--limit is 1 to 50.") }
            if let alert, AlertID(alert) == nil {
                throw ValidationError("\(Plain.line(alert)) is not the id of an alert.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Answer {
            let snapshot = try await session.loadSnapshot()
            let words = session.words
            if let id = alert.flatMap({ AlertID($0) }) {
                let record = try await session.values.alertClient.alert(id)
                await tellOpening(record, id, session)
                let lines =
                    [AlertText.line(record, in: snapshot, words)]
                    + JourneyText.note(record.note ?? "")
                    + AlertText.timeline(record, in: snapshot, words)
                return Answer(
                    lines: lines,
                    json: DoneView(
                        "alert", AlertView(record, in: snapshot, isWhole: true), isWaiting: false),
                    showsCopy: true)
            }
            let alerts = Array(snapshot.alerts.prefix(limit))
            let json = ListView(key: "alerts", items: alerts.map { AlertView($0, in: snapshot) })
            if csv {
                return Answer(
                    lines: AlertText.table(alerts, in: snapshot), json: json, showsCopy: true,
                    isTable: true)
            }
            let lines = alerts.map { AlertText.line($0, in: snapshot, words) }
            return Answer(
                lines: lines.isEmpty
                    ? ["There have been no alerts."]
                    : lines + AlertText.totals(alerts, limit: limit)
                        + AlertText.plot(alerts, words),
                json: json, showsCopy: true)
        }
    }
}
