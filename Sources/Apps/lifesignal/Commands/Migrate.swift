import ArgumentParser
import Foundation
import Persistence
import Settings

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy an SQLite database to PostgreSQL. Stop the server first.",
        discussion: """
            The PostgreSQL database must be empty. Every table is copied and then compared by its \
            number of rows and a checksum. If it is interrupted, run it again: it continues where \
            it stopped. The SQLite file keeps its data; only its schema is brought up to date. \
            Afterwards, the file FROM.moved keeps servers from starting on it.

            The password of PostgreSQL comes from PGPASSWORD or a pass file (PGPASSFILE), because \
            everybody on the machine can read a command line.
            """
    )

    @Option(help: "The SQLite file.")
    var from = "./data/lifesignal.sqlite"

    @Option(help: "The PostgreSQL database, as postgres://USER@HOST:5432/NAME.")
    var to: String

    @Flag(help: "Print the rows and the checksum of each table.")
    var verbose = false

    func run() throws {
        Process.keepFilesPrivate()
        let address = try PostgreSQLAddress(to)
        guard !address.hasPassword else {
            throw Failure(
                """
                take the password out of --to, where everybody on this machine can read it. Set \
                PGPASSWORD, or put it into a pass file (PGPASSFILE).
                """)
        }
        try MovedMark(from).checkTarget(address)
        let display = TransferDisplay()
        let summary: Transfer.Summary
        do {
            summary = try Transfer.run(from: from, to: address, report: display.show)
        } catch DatabaseError.inUse {
            display.end()
            throw Failure(
                "a server, or another migration, has \(from) open. Stop it, then run this again.")
        } catch {
            display.end()
            throw error
        }
        display.end()
        guard summary.different.isEmpty else {
            throw Failure(
                """
                these tables differ: \(summary.different.joined(separator: ", ")). Start again \
                with an empty database: dropdb NAME; createdb NAME
                """)
        }
        try MovedMark(from).write(address)
        let width = summary.tables.map(\.name.count).max() ?? 0
        for table in summary.tables where verbose {
            let name = table.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let checksum = String(table.checksum, radix: 16)
            let zeros = String(repeating: "0", count: 16 - checksum.count)
            Terminal.printLine("\(name)  \(zeros)\(checksum)  \(table.rows) rows")
        }
        let rows = summary.tables.map(\.rows).reduce(0, +)
        Terminal.printLine(
            summary.wasFinished
                ? "Already migrated: \(rows) rows in \(address), identical on both sides."
                : "Migrated \(rows) rows to \(address), identical on both sides.")
        // With --key-file or LIFESIGNAL_KEY, as in the package, the key is elsewhere.
        let key =
            SecretFile.isMissing(from + ".key")
            ? "its --key-file or LIFESIGNAL_KEY"
            : "lifesignal serve --database URL --key-file \(from).key"
        Terminal.printLine(
            """
            Give every server the key of the server of \(from): \(key)
            Keep \(from) and \(from).moved, so that no server starts on it again.
            """)
    }
}

/// Shows the progress of a transfer: a bar on a terminal, otherwise a line for each phase and each
/// tenth of its rows.
private final class TransferDisplay {
    private static let width = 30
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var last: Transfer.Progress?
    private var shown: ContinuousClock.Instant?
    private var tenths = 0

    func show(_ progress: Transfer.Progress) {
        let isNewPhase = progress.phase != last?.phase
        let isNew = isNewPhase || progress.table != last?.table
        last = progress
        guard isTerminal else {
            let now = 10 * progress.rows / max(1, progress.total)
            guard isNewPhase || now > tenths && progress.total >= Self.rowsWorthTelling else {
                return
            }
            tenths = now
            Terminal.printLine(Self.shortWords(progress))
            return
        }
        guard isNew || shown.map({ .now - $0 > .milliseconds(100) }) ?? true else { return }
        shown = .now
        // Returns to the left margin, writes the line, and clears what remains of a longer previous
        // line.
        Self.write("\r\(Self.bar(progress))\(Self.words(progress))\u{1B}[K")
    }

    /// The minimum number of rows for progress lines. Fewer rows take at most a few seconds.
    private static let rowsWorthTelling = 10_000

    private static func shortWords(_ progress: Transfer.Progress) -> String {
        switch progress.phase {
        case .checking: "Checking the file"
        case .copying: "Copying: \(progress.rows) of \(progress.total) rows"
        case .comparing: "Comparing: \(progress.rows) of \(progress.total) rows"
        }
    }

    func end() {
        if isTerminal, shown != nil { Self.write("\r\u{1B}[K") }
    }

    private static func bar(_ progress: Transfer.Progress) -> String {
        guard progress.phase != .checking else { return "" }
        let share = Double(progress.rows) / Double(max(1, progress.total))
        let filled = min(width, Int(share * Double(width)))
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: width - filled)
        return "[\(bar)] \(min(100, Int(share * 100))) %  "
    }

    private static func words(_ progress: Transfer.Progress) -> String {
        switch progress.phase {
        case .checking: "Checking the file"
        case .copying:
            "Copying \(progress.table): \(progress.rows) of \(progress.total) rows"
        case .comparing:
            "Comparing \(progress.table): \(progress.rows) of \(progress.total) rows"
        }
    }

    private static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
