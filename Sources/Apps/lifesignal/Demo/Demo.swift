import ArgumentParser
import Cryptography
import Domain
import Foundation
import Logging
import Persistence

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play the whole story of three people, over HTTP, with real parts.",
        discussion: """
            Starts a server of its own on a free port with an empty database in a temporary \
            folder, and stand-ins for a push service and a telephone company. It takes two \
            minutes, because telephones ring 90 seconds after an alert; --short leaves that part \
            out. With --server it plays the first part on a running one, which must accept \
            intervals of seconds (--demo-intervals) and the two test numbers (--test-phone \
            +15550100=000000 --test-phone +15550101=000000). Exits with 1 if a step fails.
            """
    )

    @Option(help: "The address of a running server, as http://localhost:8080.")
    var server: String?

    @Flag(help: "Leave out the part in which telephones ring.")
    var short = false

    @Option(help: "Ana's phone number.")
    var anaPhone = "+15550100"

    @Option(help: "Ben's phone number.")
    var benPhone = "+15550101"

    @Option(help: "The sign-in code of the two numbers.")
    var code = "000000"

    func run() async throws {
        let cast = try Story.Cast(
            ana: PhoneNumber(anaPhone, field: "--ana-phone"),
            ben: PhoneNumber(benPhone, field: "--ben-phone"), code: SignInRules.code(code))
        if let server {
            guard let url = URL(string: server), url.host != nil else {
                throw Failure("--server must be like http://localhost:8080.")
            }
            try await Story(server: url, cast: cast).play()
        } else {
            try await playOnOwnServer(cast)
        }
    }

    private func playOnOwnServer(_ cast: Story.Cast) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lifesignal-demo-\(UUID.random().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let serve = try Serve.parse(
            [
                "--port", "0", "--database", folder.appendingPathComponent("demo.sqlite").path,
                "--sms", "twilio", "--voice", "twilio", "--public-url", DemoProviders.publicURL,
                "--sign-up", "open", "--demo-intervals", "--allow-private-webhooks", "--log-level",
                "critical",
            ]
                + [cast.ana, cast.ben].flatMap { ["--test-phone", "\($0)=\(cast.code)"] }
        )
        let providers = DemoProviders()
        try await alongside({ try await providers.run(onRunning: $0) }) { base in
            let settings = try serve.options.settings(
                serve.reach, environment: SettingsEnvironment.fixed(providers.environment(base)))
            Logs.start(settings)
            Process.prepareForServing()
            let logger = Logger(label: "lifesignal")
            try await alongside({ onRunning in
                let server = try await RunningServer(
                    settings, logger: logger, onRunning: onRunning)
                try await server.run(signals: [], logger: logger)
            }) { server in
                try await Story(server: server, cast: cast)
                    .play(with: short ? nil : (providers, at: base))
            }
        }
    }

    /// Starts a server, runs `body` with its URL, and stops the server. Throws the first error of
    /// the server or of `body`.
    private func alongside(
        _ serve: @escaping @Sendable (@escaping @Sendable (Int) -> Void) async throws -> Void,
        _ body: @escaping @Sendable (URL) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await serve { port.yield($0) }
                return false
            }
            group.addTask {
                guard let port = await ports.first(where: { _ in true }),
                    let url = URL(string: "http://127.0.0.1:\(port)")
                else {
                    throw Failure("the server did not start.")
                }
                try await body(url)
                return true
            }
            let isPlayed = try await group.next()
            group.cancelAll()
            guard isPlayed == true else { throw Failure("the server ended too early.") }
        }
    }
}
