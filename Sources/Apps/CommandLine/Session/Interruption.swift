import Clients
import Dispatch
import Foundation

/// Handles Ctrl-C during a command: prints what is queued before the process ends.
struct Interruption {
    private let source: any DispatchSourceSignal

    init(of session: ClientSession) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            Task {
                let waiting = await session.connectivity()?.waiting ?? []
                // A closed session means that the command has finished. The command then prints the
                // queue itself.
                if session.isClosed { return }
                let lines = Self.lines(waiting, session.words)
                Output.write(lines.map { $0 + "\n" }.joined(), to: .standardError)
                // The exit code that shells use for a process that a signal has ended.
                exit(128 + SIGINT)
            }
        }
        source.resume()
    }

    /// Makes the process ignore Ctrl-C until it ends.
    func cancel() { source.cancel() }

    /// Returns the lines after an interruption. Requests in progress may have arrived.
    static func lines(_ waiting: [WaitingAction], _ words: TimeWords) -> [String] {
        ["", "Interrupted."]
            + (waiting.isEmpty
                ? ["Nothing is waiting here, but a request in progress may have arrived."]
                : ConnectivityText.waiting(waiting, words)
                    + ["It goes out with the next command, once."])
    }
}
