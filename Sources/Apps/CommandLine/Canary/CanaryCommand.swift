import ArgumentParser
import Clients
import Domain
import Foundation
import HTTPClient

struct CanaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "canary",
        abstract: "Let a deadline pass every minute, and measure whether everybody hears of it.",
        discussion: """
            Uses two accounts of its own. Give LIFESIGNAL_CANARY_PHONES to the server and to the \
            canary, as +15550190=CODE,+15550191=CODE with two codes that `openssl rand -hex 16` \
            makes. LIFESIGNAL_CANARY_WEBHOOK is the address that hears of what is late or \
            missing. With --once it exits with 1 when something is. A round takes --interval \
            seconds, and up to six minutes more while news is missing.
            """
    )

    @Option(help: "The server's address.")
    var server = Home.standardServer

    @Option(
        help:
            """
            The folder of the canary's sessions. (default: $LIFESIGNAL_HOME, else \
            ~/.config/lifesignal) with /canary
            """
    )
    var home: String?

    @Option(help: "Seconds from a check-in to its deadline, 5 to 3600.")
    var interval = 60

    @Option(help: "Seconds that news may take, 1 to 60.")
    var limit = 5

    @Flag(help: "Play one round.")
    var once = false

    @Option(help: "A file for the metrics of the last round, in the text form of Prometheus.")
    var metricsFile: String?

    func run() async throws {
        ClientProcess.prepare()
        do {
            let environment = ProcessInfo.processInfo.environment
            guard (5...3_600).contains(interval), (1...60).contains(limit) else {
                throw Self.usage(
                    "--interval is 5 to 3600, and --limit 1 to 60.", "Give other numbers.")
            }
            let numbers = try CanaryNumber.pair(environment["LIFESIGNAL_CANARY_PHONES"])
            let home = try Home(
                self.home.map { URL(fileURLWithPath: $0, isDirectory: true) }
                    ?? Home.folder(option: nil, environment: environment).appending(
                        path: "canary", directoryHint: .isDirectory))
            try home.make()
            let lock = try await HomeLock.acquire(home)
            defer { lock.release() }
            let canary = Canary(
                server: try Home.server(server), home: home, numbers: numbers,
                options: .init(
                    interval: interval, limit: .seconds(limit), metricsFile: metricsFile,
                    webhook: try Self.webhook(environment["LIFESIGNAL_CANARY_WEBHOOK"])))
            guard once else { return await canary.run(until: Signals()) }
            if await canary.runOnce() { return }
            throw ExitCode(1)
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = CommandFailure(catching: error)
            Output(isJSON: false).fail(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    private static func webhook(_ text: String?) throws -> URL? {
        guard let text, !text.isEmpty else { return nil }
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme), url.host != nil
        else {
            throw usage(
                "LIFESIGNAL_CANARY_WEBHOOK is not an address.",
                "Give one like https://example.org/hook.")
        }
        return url
    }

    private static func usage(_ message: String, _ advice: String) -> CommandFailure {
        CommandFailure(
            .usage, "usage", title: "The command can't be understood", message, advice)
    }
}

actor Canary {
    struct Options: Sendable {
        var interval: Int
        var limit: Duration
        var metricsFile: String?
        var webhook: URL?
    }

    /// How long to wait for news. Longer than any `limit`, so that late news is not reported as
    /// missing.
    private static let patience: Duration = .seconds(90)
    private static let pauseAfterFailure: Duration = .seconds(10)

    private let server: URL
    private let home: Home
    private let numbers: (owner: CanaryNumber, responder: CanaryNumber)
    private let options: Options
    private let client = HTTPClient(allowsPrivateAddresses: true, connections: 2)
    private var journal: CanaryJournal
    /// The accounts, and the check-in that starts the next round. Nil after a failure.
    private var position: (accounts: CanaryAccounts, checkIn: CanaryRound.CheckIn)?

    init(
        server: URL, home: Home, numbers: (owner: CanaryNumber, responder: CanaryNumber),
        options: Options
    ) {
        self.server = server
        self.home = home
        self.numbers = numbers
        self.options = options
        journal = CanaryJournal(server: server.host ?? "the server", limit: options.limit)
    }

    func run(until signals: Signals) async {
        let rounds = Task {
            while !Task.isCancelled {
                if await playRound() == nil { try? await Task.sleep(for: Self.pauseAfterFailure) }
            }
        }
        while !signals.isEnded { try? await Task.sleep(for: .milliseconds(200)) }
        rounds.cancel()
        await rounds.value
        await close()
    }

    /// Runs one round. Returns whether all news arrived in time.
    func runOnce() async -> Bool {
        let result = await playRound()
        await close()
        return result.map { $0.trouble(limit: options.limit) == nil } ?? false
    }

    private func close() async {
        await position?.accounts.close()
        position = nil
    }

    private func playRound() async -> CanaryJournal.Result? {
        let result: CanaryJournal.Result
        do {
            let (accounts, checkIn) = try await begin()
            let round = CanaryRound(
                accounts: accounts, interval: options.interval, patience: Self.patience)
            let (legs, next) = try await round.play(checkIn)
            position = (accounts, next)
            result = .init(legs: legs)
        } catch {
            await close()
            if Task.isCancelled { return nil }
            let failure = CommandFailure(catching: error)
            result = .init(failure: "\(failure.error.title). \(failure.error.message)")
        }
        await enter(result)
        return result.failure == nil ? result : nil
    }

    private func begin() async throws -> (CanaryAccounts, CanaryRound.CheckIn) {
        if let position, !position.accounts.isOld(at: Date()) { return position }
        await close()
        let accounts = CanaryAccounts(server: server, home: home, numbers)
        do {
            try await accounts.open(at: Date())
            let round = CanaryRound(
                accounts: accounts, interval: options.interval, patience: Self.patience)
            return (accounts, try await round.begin())
        } catch {
            await accounts.close()
            throw error
        }
    }

    private func enter(_ result: CanaryJournal.Result) async {
        let now = Date()
        Output.write("\(Timestamp.text(now))  \(journal.line(result))\n")
        if let path = options.metricsFile {
            do {
                try CanaryMetricsFile(path: path).write(journal.metrics(result, at: now))
            } catch {
                Output.write("\(path) can't be written.\n", to: .standardError)
            }
        }
        guard let message = journal.note(result, at: now), let webhook = options.webhook else {
            return
        }
        do {
            let body = try WireJSON.encoder().encode(message)
            let answer = try await client.send(
                OutgoingRequest(
                    url: webhook, headers: [("content-type", "application/json")], body: body))
            guard (200..<300).contains(answer.status) else {
                throw HTTPClientError.failed("it answers \(answer.status)")
            }
        } catch {
            journal.forget(message)
            Output.write("The webhook did not take the message: \(error)\n", to: .standardError)
        }
    }
}
