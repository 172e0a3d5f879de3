import ArgumentParser
import Clients
import Domain
import Foundation

struct ClientOptions: ParsableArguments {
    @Option(
        help:
            """
            The folder for the session, the copy and unsent actions. (default: $LIFESIGNAL_HOME, \
            else ~/.config/lifesignal)
            """
    )
    var home: String?

    @Flag(help: "Print JSON, also for failures.")
    var json = false

    func folder() throws -> Home {
        try Home(Home.folder(option: home, environment: ProcessInfo.processInfo.environment))
    }

    /// Asks the person at the terminal. Throws `CommandFailure` without a yes. Never asks a
    /// script, because its input is for something else.
    /// - Parameter consequence: a sentence; a script's failure has it, too.
    func confirm(
        _ consequence: String, _ question: String, orElse title: String
    ) async throws {
        guard !json, ClientProcess.isTerminal(STDIN_FILENO) else {
            throw CommandFailure(
                .refused, "not-confirmed", title: title, consequence,
                "If you want that, give --yes.")
        }
        let answer = await TypedLine.answer(to: "\(consequence) \(question) [y/N] ")
        guard ["y", "yes"].contains(answer?.lowercased()) else {
            throw CommandFailure(
                .refused, "not-confirmed", title: title, "You did not answer yes.")
        }
    }

    /// Sends a phone number, and asks the person at the terminal about one that the server doesn't
    /// know. Throws `UserFacingError`, or `CommandFailure` without a yes.
    /// - Parameter isConfirmed: the value of `--confirm`.
    func sendNumber<Value: Sendable>(
        isConfirmed: Bool, _ send: (_ isConfirmed: Bool) async throws -> Value
    ) async throws -> Value {
        do {
            return try await send(isConfirmed)
        } catch let error as UserFacingError where error.code == UserFacingError.numberInDoubt {
            guard !json, ClientProcess.isTerminal(STDIN_FILENO) else {
                var error = error
                error.recoverySuggestion = "Correct the number, or give --confirm to use it."
                throw error
            }
            try await confirm(error.message, "Use it?", orElse: error.title)
            return try await send(true)
        }
    }
}

protocol ClientCommand: AsyncParsableCommand {
    var client: ClientOptions { get }
    /// Whether to send the queue before this command. Unneeded for a command that queues its own
    /// action, because the queue keeps the order.
    var sendsFirst: Bool { get }
    /// How long to wait for the home's lock before working beside the process that holds it; nil
    /// for a command that fails instead.
    var sharesHomeAfter: Duration? { get }
    func perform(_ session: ClientSession) async throws -> Report
    /// Returns a failure that came before `perform`, as a person should read it.
    func explain(beforeStart failure: CommandFailure) -> CommandFailure
}

extension ClientCommand {
    var sendsFirst: Bool { true }

    var sharesHomeAfter: Duration? { nil }

    func explain(beforeStart failure: CommandFailure) -> CommandFailure { failure }

    func run() async throws {
        var hasStarted = false
        try await ClientRun.locked(
            client, sendsFirst: sendsFirst, sharesHomeAfter: sharesHomeAfter,
            explain: { hasStarted ? $0 : explain(beforeStart: $0) }
        ) { session in
            hasStarted = true
            return try await perform(session)
        }
    }
}

enum ClientRun {
    /// `words` formats the times in the output's last lines.
    typealias Answer = (report: Report, circumstances: Circumstances, words: TimeWords)

    /// Prints the report or the failure. Throws `ExitCode` for every result except "done".
    /// - Parameter explain: adds to a failure what it means for the command.
    static func run(
        _ options: ClientOptions, explain: (CommandFailure) -> CommandFailure = { $0 },
        _ work: (Home) async throws -> Answer
    ) async throws {
        ClientProcess.prepare()
        let output = Output(isJSON: options.json)
        do {
            let (report, circumstances, words) = try await work(try options.folder())
            // A reader such as `head` may close the output early.
            guard output.show(report, circumstances, words: words) || !ClientProcess.hasReader
            else { throw CommandFailure.lostOutput(of: report) }
            if report.isWaiting { throw ExitCode(ExitStatus.waiting.rawValue) }
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = explain(CommandFailure(catching: error))
            output.fail(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    /// Runs a command of the signed-in user while holding the home's lock. Throws `ExitCode`.
    /// - Parameters:
    ///   - sharesHomeAfter: see `ClientCommand`.
    ///   - explain: see `run`.
    static func locked(
        _ options: ClientOptions, sendsFirst: Bool = true, sharesHomeAfter: Duration? = nil,
        explain: (CommandFailure) -> CommandFailure = { $0 },
        _ perform: (ClientSession) async throws -> Report
    ) async throws {
        try await run(options, explain: explain) { home in
            try await home.checkSignedIn()
            let lock = try await HomeLock.acquireOrShare(home, after: sharesHomeAfter)
            defer { lock?.release() }
            return try await signedIn(home, sendsFirst: sendsFirst, perform)
        }
    }

    private static func signedIn(
        _ home: Home, sendsFirst: Bool, _ perform: (ClientSession) async throws -> Report
    ) async throws -> Answer {
        let session = try await ClientSession.open(home)
        let before = await session.connectivity()?.waiting ?? []
        let interruption = Interruption(of: session)
        defer { interruption.cancel() }
        // A session that has ended removes its copy.
        let known = try? await session.snapshot()
        do {
            if sendsFirst { try await session.sendWaiting() }
            let report = try await perform(session)
            try await session.sendWaiting()
            let (connectivity, words) = (await session.connectivity(), session.words)
            let refusals = await session.refusals()
            return (
                report,
                Circumstances(
                    isOnline: session.isOnline, isRateLimited: session.isRateLimited,
                    connectivity: connectivity, before: before, refusals: refusals), words
            )
        } catch {
            throw await close(session, known, after: error)
        }
    }

    /// Closes the session after a failure. Returns the failure, with words about an unsent alert.
    /// - Parameter known: the data before the command, for the alerts that were on.
    static func close(
        _ session: ClientSession, _ known: Snapshot? = nil, after error: any Error
    ) async -> any Error {
        let open = known.map { AlertText.openAtSignOut($0, session.words) } ?? []
        let age = await session.ageOfCopy()
        let unsent = await session.connectivity()?.unsentAlert
        await session.close()
        var failure = CommandFailure(catching: error)
        // The local copy may be stale, so the failure gives the copy's age.
        if error is CommandFailure, let age {
            failure.error.message += " " + age
        }
        for line in unsent.map(ConnectivityText.unsent) ?? [] {
            failure.error.message += " " + line
        }
        return await session.home.afterFailure(failure, open: open)
    }
}
