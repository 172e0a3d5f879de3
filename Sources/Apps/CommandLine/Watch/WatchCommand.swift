import ArgumentParser
import Domain
import Foundation

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show what happens, as it happens, and send what waits.",
        discussion: """
            In a terminal it redraws one page and rings the bell for an alert, a ping or a drill; \
            elsewhere, or if TERM is "dumb" or empty, it writes a line for each change, with \
            --json an object for each. It steps \
            aside for other commands of the same home and goes on after them. Ctrl-C ends it.
            """
    )

    @OptionGroup var client: ClientOptions

    @Option(name: .customLong("for"), help: "End after this many seconds.")
    var seconds: Double?

    func validate() throws {
        if let seconds, !(0.1...1_000_000).contains(seconds) {
            throw ValidationError("--for is a number of seconds.")
        }
    }

    func run() async throws {
        ClientProcess.prepare()
        let output = Output(isJSON: client.json)
        do {
            let home = try client.folder()
            try await home.checkSignedIn()
            let only = try HomeLock.only("watch", home)
            defer { only.release() }
            let lock = try await HomeLock.acquire(home)
            defer { lock.release() }
            let isPage =
                !client.json && ClientProcess.isTerminal(STDOUT_FILENO)
                && ClientProcess.redraws(ProcessInfo.processInfo.environment["TERM"])
            let face: any WatchFace = isPage ? WatchPage() : WatchLines(isJSON: client.json)
            face.begin()
            defer { face.end() }
            try await Watcher(
                home: home, lock: lock, face: face,
                end: seconds.map { Date().addingTimeInterval($0) }
            ).run()
        } catch {
            let failure = CommandFailure(catching: error)
            output.fail(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }
}
