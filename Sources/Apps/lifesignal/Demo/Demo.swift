import ArgumentParser
import Cryptography
import Domain
import Foundation
import Logging
import Persistence

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play the whole story of two people, over HTTP, with real parts.",
        discussion: """
            Starts a server of its own on a free port with an empty database in a temporary \
            folder. With --server it uses a \
            running one, which must accept intervals of seconds (--demo-intervals) and the two \
            test numbers \
            (--test-phone +15550100=000000 --test-phone +15550101=000000). Exits with 1 when a \
            step is not as it should be.
            """
    )

    @Option(help: "The address of a running server, as http://localhost:8080.")
    var server: String?

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
            "lifesignal-demo-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = try ServeOptions.parse(
            [
                "--port", "0", "--database", folder.appendingPathComponent("demo.sqlite").path,
                "--sms", "none", "--demo-intervals", "--log-level", "critical",
            ]
                + [cast.ana, cast.ben].flatMap { ["--test-phone", "\($0)=\(cast.code)"] }
        )
        let settings = try options.settings(environment: [:])
        Logs.start(settings)
        Process.prepareForServing()

        let logger = Logger(label: "lifesignal")
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try await RunningServer(settings, logger: logger) { port.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(signals: [], logger: logger) }
            group.addTask {
                guard let port = await ports.first(where: { _ in true }),
                    let url = URL(string: "http://127.0.0.1:\(port)")
                else {
                    throw Failure("the server did not start.")
                }
                try await Story(server: url, cast: cast).play()
            }
            // The first to end ends the other: the story when it is over, the server only when it
            // fails.
            try await group.next()
            group.cancelAll()
        }
    }
}
