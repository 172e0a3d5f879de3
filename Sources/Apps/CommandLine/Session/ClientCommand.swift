import ArgumentParser
import Clients
import Domain
import Foundation

/// The options of every client command.
struct ClientOptions: ParsableArguments {
    @Option(
        help:
            """
            The folder of the session, the copy and what waits. (default: $LIFESIGNAL_HOME, else \
            ~/.config/lifesignal)
            """
    )
    var home: String?

    @Flag(help: "Print JSON for programs, failures too.")
    var json = false

    func folder() throws -> Home {
        try Home(Home.folder(option: home, environment: ProcessInfo.processInfo.environment))
    }
}

/// A command of whoever is signed in: arguments in, a report out.
protocol ClientCommand: AsyncParsableCommand {
    var client: ClientOptions { get }
    /// True if the queue is sent before this command begins. The command's own entries keep their
    /// place in it.
    var sendsFirst: Bool { get }
    func perform(_ session: ClientSession) async throws -> Report
}

extension ClientCommand {
    var sendsFirst: Bool { true }

    func run() async throws { try await ClientRun.locked(client, sendsFirst: sendsFirst, perform) }
}

/// How a command comes to its end and its exit code.
enum ClientRun {
    typealias Answer = (report: Report, circumstances: Circumstances)

    /// Throws `ExitCode`.
    static func run(_ options: ClientOptions, _ work: (Home) async throws -> Answer) async throws {
        ClientProcess.prepare()
        let output = Output(isJSON: options.json)
        do {
            let (report, circumstances) = try await work(try options.folder())
            output.show(report, circumstances, words: ClientProcess.words)
            if report.isWaiting { throw ExitCode(ExitStatus.waiting.rawValue) }
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = CommandFailure(catching: error)
            output.fail(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    /// The only one that works in its home, as whoever is signed in. Throws `ExitCode`.
    static func locked(
        _ options: ClientOptions, sendsFirst: Bool = true,
        _ perform: (ClientSession) async throws -> Report
    ) async throws {
        try await run(options) { home in
            guard try home.isSignedIn() else { throw CommandFailure.notSignedIn }
            let lock = try await HomeLock.acquire(home)
            defer { lock.release() }
            return try await signedIn(home, sendsFirst: sendsFirst, perform)
        }
    }

    private static func signedIn(
        _ home: Home, sendsFirst: Bool, _ perform: (ClientSession) async throws -> Report
    ) async throws -> Answer {
        let session = try await ClientSession.open(home)
        let before = await session.connectivity()?.waiting ?? []
        do {
            if sendsFirst { try await session.sendWaiting() }
            let report = try await perform(session)
            try await session.sendWaiting()
            let connectivity = await session.connectivity()
            let refusals = await session.refusals()
            return (
                report,
                Circumstances(
                    isOnline: session.isOnline, connectivity: connectivity, before: before,
                    refusals: refusals)
            )
        } catch {
            await session.close()
            let failure = CommandFailure(catching: error)
            // The session was ended elsewhere: what it showed goes, what waits stays for the same
            // person.
            if failure.status == .notSignedIn { home.removeCopy() }
            throw failure
        }
    }
}
