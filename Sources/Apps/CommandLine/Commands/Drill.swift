import ArgumentParser
import Clients
import Domain
import Foundation

struct Drill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold a drill: would your responders hear you? Answer the drills of others.",
        subcommands: [Start.self, Status.self, Stop.self, Answer.self],
        defaultSubcommand: Start.self)

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a drill and show the answers as they come. Needs a connection.",
            discussion: """
                Your responders get messages that are marked as a drill; a text message and a \
                call may follow. You can do this once a day. Ctrl-C leaves the drill running. \
                With --json, one object is printed at the end.
                """)

        @OptionGroup var client: ClientOptions

        @Flag(help: "Don't wait for the answers.")
        var noWait = false

        private static let pause: Duration = .seconds(2)

        func run() async throws {
            guard !noWait else { return try await ClientRun.locked(client) { try await begin($0) } }
            try await ClientRun.run(client) { home in
                try await home.checkSignedIn()
                let (begun, unsent) = try await Self.locked(home) { session in
                    (
                        try await session.values.drillClient.start(),
                        await session.connectivity()?.unsentAlert
                    )
                }
                var drill = begun
                say((unsent.map(ConnectivityText.unsent) ?? []) + DrillText.beginning(drill))
                var said: Set<UserID> = []
                while drill.isRunning {
                    try await Task.sleep(for: Self.pause)
                    drill = try await look(home, drill)
                    let new = drill.answers.filter {
                        $0.answeredAt != nil && said.insert($0.id).inserted
                    }
                    say(new.map { DrillText.line($0, of: drill) })
                }
                let end = DrillText.end(of: drill)
                return (
                    Report(lines: end, json: DoneView("drill", drill, isWaiting: false)),
                    Circumstances(isOnline: true, connectivity: nil, before: [], refusals: []),
                    ClientProcess.words
                )
            }
        }

        private func begin(_ session: ClientSession) async throws -> Report {
            let drill = try await session.values.drillClient.start()
            return Report(
                lines: DrillText.beginning(drill),
                json: DoneView("drill", drill, isWaiting: false))
        }

        /// Holds the home's lock only while `work` runs, so that other commands can use the home
        /// afterwards.
        private static func locked<Value>(
            _ home: Home, _ work: (ClientSession) async throws -> Value
        ) async throws -> Value {
            let lock = try await HomeLock.acquire(home)
            defer { lock.release() }
            let session = try await ClientSession.open(home)
            do {
                let value = try await work(session)
                await session.close()
                return value
            } catch {
                throw await ClientRun.close(session, after: error)
            }
        }

        /// Loads the drill. Returns `drill` unchanged if the connection fails before the drill's
        /// end.
        private func look(_ home: Home, _ drill: DrillRecord) async throws -> DrillRecord {
            do {
                let own = try await Self.locked(home) { session in
                    try await session.values.drillClient.overview().own
                }
                return own.flatMap { $0.id == drill.id ? $0 : nil } ?? drill
            } catch let failure as CommandFailure where failure.error.code == "unreachable" {
                guard ClientProcess.words.now < drill.endsAt else { throw failure }
                return drill
            }
        }

        private func say(_ lines: [String]) {
            guard !client.json else { return }
            Output.write(lines.map { $0 + "\n" }.joined())
        }
    }

    struct Status: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show your newest drill, and drills of others that wait for your answer.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let overview = try await session.values.drillClient.overview()
            var lines = ["You have held no drill in the last month."]
            if let own = overview.own {
                lines =
                    DrillText.beginning(own)
                    + own.answers.map { DrillText.line($0, of: own) }
                    + [own.endWords].compactMap(\.self)
            }
            let asked = overview.asked.filter { $0.answeredAt == nil }.map(DrillText.question)
            return Report(lines: DrillText.ended(overview) + asked + lines, json: overview)
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop your drill. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let client = session.values.drillClient
            guard let own = try await client.overview().own, own.isRunning else {
                throw CommandFailure(
                    .refused, "no-drill", title: "There is nothing to stop",
                    "No drill of yours is running.")
            }
            let drill = try await client.stop(own.id)
            return Report(
                lines: DrillText.end(of: drill), json: DoneView("drill", drill, isWaiting: false))
        }
    }

    struct Answer: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Answer \"Got it\" to all drills of others. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let client = session.values.drillClient
            let overview = try await client.overview()
            let asked = overview.asked.filter { $0.answeredAt == nil }
            guard !asked.isEmpty else {
                throw CommandFailure(
                    .refused, "no-drill", title: "There is nothing to answer",
                    DrillText.ended(overview).first ?? "No drill is waiting for your answer.")
            }
            var answered: [DrillQuestion] = []
            for question in asked { answered.append(try await client.answer(question.id)) }
            return Report(
                lines: answered.map { question in
                    let name = Plain.name(question.name)
                    return question.answeredAt == nil
                        ? question.alertWords.map(Plain.line) ?? "The drill by \(name) is over."
                        : "\(name) sees that the drill reached you."
                },
                json: ListView(key: "answered", items: answered))
        }
    }
}

enum DrillText {
    /// Returns a line for each drill of another person that a real alert ended.
    static func ended(_ overview: DrillOverview) -> [String] {
        (overview.ended ?? []).compactMap(\.alertWords).map(Plain.line)
    }

    static func question(_ question: DrillQuestion) -> String {
        "This is a drill by \(Plain.name(question.name)). Answer: lifesignal drill answer"
    }

    static func beginning(_ drill: DrillRecord) -> [String] {
        let asked = drill.answers.filter { $0.isAsked != false }.map { Plain.name($0.name) }
        let names = asked.isEmpty ? "no one" : asked.joined(separator: ", ")
        let start = ClientProcess.words.moment(drill.startedAt)
        return ["Drill of \(start). Asked: \(names)."]
    }

    static func line(_ answer: DrillAnswer, of drill: DrillRecord) -> String {
        let words = drill.words(for: answer).map { "Got it, \($0)" } ?? drill.silence(of: answer)
        return "\(Plain.name(answer.name)): \(words)"
    }

    static func end(of drill: DrillRecord) -> [String] {
        drill.answers.filter { $0.answeredAt == nil }.map { line($0, of: drill) }
            + [[drill.summary, drill.endWords].compactMap(\.self).joined(separator: " ")]
    }
}
