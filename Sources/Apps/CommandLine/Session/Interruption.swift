import Clients
import Dispatch
import Foundation

/// Handles Ctrl-C during a command: prints what is queued before the process ends.
struct Interruption {
    /// What stays on this device.
    struct Rest: Sendable {
        var waiting: [WaitingAction] = []
        /// Lines about an alert that the client asks about.
        var unsent: [String] = []
        /// True if the client may still hold the alert back, so that the next command may not send
        /// it.
        var isHeldBack = false
    }

    private let source: any DispatchSourceSignal

    /// Reads the queue of a session. Before a sign-in, reads the alerts that an ended session left.
    init(of session: ClientSession) {
        self.init {
            let rest: Rest
            if (try? session.home.isSignedIn()) == false {
                rest = Rest(unsent: await session.home.linesBeforeSignIn())
            } else {
                let connectivity = await session.connectivity()
                rest = Rest(
                    waiting: connectivity?.waiting ?? [],
                    unsent: connectivity?.unsentAlert.map(ConnectivityText.unsent) ?? [])
            }
            // A closed session means that the command has finished. The command then prints the
            // queue itself.
            return session.isClosed ? nil : rest
        }
    }

    /// - Parameter rest: returns nil once the command has finished.
    init(_ rest: @escaping @Sendable () async -> Rest?) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            Task {
                let isAsking = TypedLine.isAwaited
                guard let left = await rest() else { return }
                let lines = Self.lines(left, isAsking: isAsking, ClientProcess.words)
                Output.write(lines.map { $0 + "\n" }.joined(), to: .standardError)
                // The exit code that shells use for a process that a signal has ended.
                exit(128 + SIGINT)
            }
        }
        source.resume()
    }

    /// Stops handling Ctrl-C. Without another `Interruption`, the process then ignores it.
    func cancel() { source.cancel() }

    /// Returns the lines after an interruption. Requests in progress may have arrived.
    /// - Parameter isAsking: whether the command was waiting for the person's answer.
    static func lines(_ rest: Rest, isAsking: Bool = false, _ words: TimeWords) -> [String] {
        var lines = ["", "Interrupted."] + rest.unsent
        if !rest.waiting.isEmpty {
            lines += ConnectivityText.waiting(rest.waiting, words)
            if !rest.isHeldBack { lines.append("It goes out with the next command, once.") }
        }
        if rest.unsent.isEmpty, isAsking {
            lines.insert("Nothing was changed.", at: 2)
        } else if rest.unsent.isEmpty, rest.waiting.isEmpty {
            lines.append("Nothing is waiting here, but a request in progress may have arrived.")
        }
        return lines
    }
}
