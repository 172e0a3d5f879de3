import ArgumentParser
import Foundation
import Persistence

/// The place of a server's data, given as it is to `serve`.
struct DataOptions: ParsableArguments {
    @Option(help: "The SQLite file. (default: ./data/lifesignal.sqlite)")
    var database: String?

    @Option(help: "The file with the server's secret key. (default: the database's path with .key)")
    var keyFile: String?

    /// The path of the file. Throws `Failure` for PostgreSQL, with the tools for that.
    func databasePath() throws -> String {
        try DatabaseLocation(option: database, environment: ProcessInfo.processInfo.environment)
            .path(
                orElse: """
                    PostgreSQL has tools of its own for backups: pgBackRest, or pg_basebackup with \
                    archived WAL. Keep the server's key with them; Docs/operations.md says how.
                    """)
    }

    var givenKeyPath: String? {
        keyFile ?? ProcessInfo.processInfo.environment["LIFESIGNAL_KEY_FILE"]
    }

    func keyPath(of database: String) -> String { givenKeyPath ?? database + ".key" }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a consistent copy of the database, also while a server uses it.",
        discussion:
            """
            The server's key is copied beside it as FILE.key: keep the two together, and keep them \
            safe.
            """
    )

    @Argument(help: "The file to write. It must not exist yet.")
    var file: String

    @Flag(
        help: """
            Check every page and reference of the copy, count what is in it, and note the time \
            beside the database, for the metric lifesignal_backup_age_seconds.
            """)
    var verify = false

    @OptionGroup var data: DataOptions

    func run() throws {
        Process.keepFilesPrivate()
        let database = try data.databasePath()
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure("\(file) exists already; a backup never overwrites.")
        }
        if let path = data.givenKeyPath, !FileManager.default.fileExists(atPath: path) {
            throw Failure(
                "there is no key file at \(path). Give the --key-file that the server has.")
        }
        try SQLiteFile.backUp(database, to: file)
        let version = try SQLiteFile.verify(file)
        let keyPath = data.keyPath(of: database)
        let key = try KeyCopy(from: keyPath, to: file + ".key")
        Terminal.printLine(
            "Backed up \(database) to \(file) (schema version \(version), checked).")
        switch key {
        case .copied: Terminal.printLine("The key is beside it: \(file).key")
        case .same: break
        case .missing:
            Terminal.printLine(
                """
                WITHOUT A KEY: there is none at \(keyPath). If the server has a --key-file, \
                give it here, too.
                """
            )
        case .different:
            Terminal.printLine(
                """
                WITHOUT ITS KEY: \(file).key exists already and is another one. Copy \
                \(keyPath) yourself.
                """
            )
        }
        if verify { try verifyCopy(of: database) }
    }

    private func verifyCopy(of database: String) throws {
        let contents = try SQLiteFile.verifyThoroughly(file)
        try BackupNote(verifiedAt: Date(), contents: contents).save(besides: database)
        Terminal.printLine(
            """
            Verified: \(contents.people) people, \(contents.contacts) contacts, \
            \(contents.checkIns) check-ins, \(contents.alerts) alerts.
            """)
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the database. Stop the server first.",
        discussion: """
            What stood there is kept under another name. What happened after the backup was made \
            is unknown to the server: it \
            asks people who miss their deadline before it tells their responders, and devices send \
            again what they know.
            """
    )

    @Argument(help: "The backup to restore.")
    var file: String

    @OptionGroup var data: DataOptions

    func run() throws {
        Process.keepFilesPrivate()
        let database = try data.databasePath()
        let keyPath = data.keyPath(of: database)
        for path in [database, keyPath] {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        if let kept = try SQLiteFile.restore(file, to: database) {
            Terminal.printLine("The database that stood there is now \(kept).")
        }
        switch try KeyCopy(from: file + ".key", to: keyPath) {
        case .copied: Terminal.printLine("Its key is now \(keyPath).")
        case .same: break
        case .missing where FileManager.default.fileExists(atPath: keyPath):
            Terminal.printLine(
                "The backup has no key beside it (\(file).key): the one at \(keyPath) stays.")
        case .missing:
            Terminal.printLine("WITHOUT A KEY: there is none at \(file).key.")
            Terminal.printLine(
                """
                Put the server's key at \(keyPath); else a new one is made, and webhooks get new \
                secrets.
                """
            )
        case .different:
            Terminal.printLine(
                """
                THE KEYS DIFFER: the one at \(keyPath) stays. If the backup's is right: cp \
                \(file).key \(keyPath)
                """
            )
        }
        let option = data.givenKeyPath.map { " --key-file \($0)" } ?? ""
        Terminal.printLine(
            """
            Restored \(file) to \(database). Start the server: lifesignal serve --database \
            \(database)\(option)
            """
        )
    }
}

/// The result of copying the key. An existing key is never overwritten.
enum KeyCopy {
    case copied, same, missing, different

    init(from source: String, to destination: String) throws {
        guard let key = FileManager.default.contents(atPath: source) else {
            guard !FileManager.default.fileExists(atPath: source) else {
                throw Failure("the key \(source) can't be read.")
            }
            self = .missing
            return
        }
        guard !FileManager.default.fileExists(atPath: destination) else {
            self = FileManager.default.contents(atPath: destination) == key ? .same : .different
            return
        }
        try FileManager.default.copyItem(atPath: source, toPath: destination)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: destination)
        self = .copied
    }
}
