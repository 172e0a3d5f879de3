import Clients
import Domain
import Foundation
import Synchronization

protocol WatchFace: Sendable {
    func begin()
    /// Returns false if the output was closed.
    func show(_ snapshot: Snapshot, since old: Snapshot?, in words: TimeWords) -> Bool
    /// Shows that nothing is known yet, because the server has never been reached.
    func wait(in words: TimeWords)
    func report(_ refusal: RefusedAction)
    func end()
}

/// Redraws one page on the terminal's alternate screen.
final class WatchPage: WatchFace {
    /// How many refusals the page shows, so that the rest of the page stays visible.
    private static let shownRefusals = 3

    /// The refusals since `begin`. The account reports each only once.
    private let refusals = Mutex<[RefusedAction]>([])

    func begin() { Output.write("\u{1B}[?1049h\u{1B}[?25l") }

    /// Leaves the page. The person then reads the refusals below the command.
    func end() {
        Output.write("\u{1B}[?25h\u{1B}[?1049l")
        for line in Self.lastLines(refusals.withLock { $0 }) {
            Output.write(line + "\n", to: .standardError)
        }
    }

    func show(_ snapshot: Snapshot, since old: Snapshot?, in words: TimeWords) -> Bool {
        if Self.rings(from: old, to: snapshot, at: words.now) { ring() }
        let notices = Self.notices(refusals.withLock { $0 })
        return draw(StatusText(snapshot: snapshot, words: words).page(notices), words)
    }

    /// Returns true if the user may have to act on something new.
    static func rings(from old: Snapshot?, to new: Snapshot, at now: Date) -> Bool {
        Change.between(old ?? Snapshot(), new, at: now).contains { $0.event.isUrgent }
    }

    func wait(in words: TimeWords) {
        let notices = Self.notices(refusals.withLock { $0 })
        _ = draw(["Nothing is known yet: LifeSignal has not been reached."] + notices, words)
    }

    func report(_ refusal: RefusedAction) {
        refusals.withLock { $0.append(refusal) }
        // The next drawing shows the refusal.
        ring()
    }

    /// Rings the terminal's bell.
    private func ring() { Output.write("\u{7}", to: .standardError) }

    private func draw(_ lines: [String], _ words: TimeWords) -> Bool {
        Output.write(Self.page([Self.title(words)] + lines, ClientProcess.size))
    }

    /// Returns the lines about the newest refusals: for each a title and a message.
    static func notices(_ refusals: [RefusedAction]) -> [String] {
        refusals.suffix(shownRefusals).flatMap { refusal in
            [
                "Refused: \(Plain.line(refusal.error.title)).",
                "  \(Plain.line(refusal.error.message))",
            ]
        }
    }

    /// Returns the lines about all refusals for the time after the page.
    static func lastLines(_ refusals: [RefusedAction]) -> [String] {
        refusals.map { Plain.line("Refused: \($0.error.title). \($0.error.message)") }
    }

    private static func title(_ words: TimeWords) -> String {
        "LifeSignal  \(words.second(words.now))  (Ctrl-C ends)"
    }

    static func page(_ lines: [String], _ size: (columns: Int, rows: Int)) -> String {
        // A character in the last column would be erased with the rest of its row.
        let rows = lines.flatMap { TerminalRows.wrap($0, to: size.columns - 1) }
        let more = "… \(rows.count - size.rows + 2) more lines".prefix(max(0, size.columns - 1))
        let fitting =
            rows.count <= size.rows - 1
            ? rows : rows.prefix(max(0, size.rows - 2)) + [String(more)]
        return "\u{1B}[H" + fitting.map { "\($0)\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    }
}

struct WatchLines: WatchFace {
    var isJSON: Bool

    func begin() {}
    func end() {}
    func wait(in words: TimeWords) {}

    func show(_ snapshot: Snapshot, since old: Snapshot?, in words: TimeWords) -> Bool {
        guard snapshot != old else { return true }
        guard let old else {
            return isJSON
                ? Output.write(
                    Output.json(
                        FirstLine(
                            time: words.now, state: StatusView(snapshot, at: words.now),
                            connectivity: snapshot.connectivity,
                            isOnline: snapshot.isConnecting
                                ? nil : snapshot.connectivity.isOnline)) + "\n")
                : Output.write(
                    StatusText(snapshot: snapshot, words: words).log.map {
                        "\(words.second(words.now))  \($0)\n"
                    }.joined())
        }
        return write(Change.between(old, snapshot, at: words.now), words)
    }

    func report(_ refusal: RefusedAction) {
        let text =
            "Refused: \(refusal.action.kind.words.own). \(refusal.error.message)"
        _ = write([Change(event: .refused, text: text)], ClientProcess.words)
    }

    private func write(_ changes: [Change], _ words: TimeWords) -> Bool {
        changes.allSatisfy { change in
            Output.write(
                isJSON
                    ? Output.json(ChangeLine(time: words.now, change: change)) + "\n"
                    : "\(words.second(words.now))  \(change.text)\n")
        }
    }

    private struct FirstLine: Encodable {
        enum Keys: String, CodingKey { case event, time }
        var time: Date
        var state: StatusView
        var connectivity: Connectivity
        /// nil before the server's first answer.
        var isOnline: Bool?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode("state", forKey: .event)
            try container.encode(time, forKey: .time)
            try state.encode(to: encoder)
            try Circumstances(isOnline: isOnline, connectivity: connectivity).encode(to: encoder)
        }
    }

    private struct ChangeLine: Encodable {
        enum Keys: String, CodingKey { case time }
        var time: Date
        var change: Change

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(time, forKey: .time)
            try change.encode(to: encoder)
        }
    }
}
