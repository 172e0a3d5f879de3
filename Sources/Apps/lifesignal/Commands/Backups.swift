import ArgumentParser
import Cryptography
import Foundation
import Persistence
import Settings

/// The options that say where a server's data is. Their values must be the same as for `serve`.
struct DataOptions: ParsableArguments {
    @Option(help: "The SQLite file. (default: ./data/lifesignal.sqlite)")
    var database: String?

    @Option(help: "The file with the server's secret key. (default: the database's path with .key)")
    var keyFile: String?

    @Option(
        help:
            """
            The server's settings file. (default: /etc/lifesignal/lifesignal.yaml, if it exists)
            """
    )
    var config: String?

    /// Returns the path of the SQLite file. Throws `Failure` for PostgreSQL, with a hint at its
    /// backup tools.
    func databasePath() throws -> String {
        try DatabaseLocation(option: database, environment: try values())
            .path(
                orElse: """
                    PostgreSQL has tools of its own for backups: pgBackRest, or pg_basebackup with \
                    archived WAL. Keep the server's key with them; Docs/operations.md says how.
                    """)
    }

    func givenKeyPath() throws -> String? { try keyFile ?? values()["LIFESIGNAL_KEY_FILE"] }

    func keyPath(of database: String) throws -> String {
        try givenKeyPath() ?? database + ".key"
    }

    /// Returns the path of the running server's socket for administrators; nil for none.
    func adminSocket(of database: String) throws -> String? {
        try DatabaseLocation.file(database)
            .adminSocket(nil, SettingReader(environment: try values()))
    }

    private func values() throws -> SettingValues {
        try SettingsEnvironment.data(config: config)
    }

    /// Returns the source of the key that `serve` would use. Throws `Failure`.
    func keySource(of database: String) throws -> KeySource {
        try KeySource(
            path: try keyPath(of: database), isPathGiven: keyFile != nil,
            environment: try values())
    }
}

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a consistent copy of the database, also while a server uses it.",
        discussion:
            """
            The server's key file is copied beside it as FILE.key: keep the two together, and keep \
            them safe. A key in LIFESIGNAL_KEY is not copied.
            """
    )

    /// The copy is whole, but its time can't be noted. Deploy/systemd/backup keeps such a copy.
    private static let notNoted = ExitCode(3)

    @Argument(help: "The file to write. It must not exist yet.")
    var file: String

    @Flag(
        help: """
            Check every page and reference of the copy, count what is in it, and, if it has the \
            right key, note the time beside the database, for the metric \
            lifesignal_backup_age_seconds. The exit code is 3 if only the note fails.
            """)
    var verify = false

    @OptionGroup var data: DataOptions

    func run() async throws {
        Process.keepFilesPrivate()
        let database = try data.databasePath()
        var status = stat()
        // Also a link to nothing.
        guard lstat(file, &status) != 0 else {
            throw Failure("\(file) exists already; a backup never overwrites.")
        }
        let source = try data.keySource(of: database)
        if !source.isInEnvironment { try KeyCopy.checkPlace(file + ".key") }
        if !source.isInEnvironment, let path = try data.givenKeyPath(),
            SecretFile.isMissing(path)
        {
            throw Failure(
                "there is no key file at \(path). Give the --key-file that the server has.")
        }
        // The files at the path then lack what the server has stored. A mistake in the setting of
        // the socket stops no backup.
        let socket = try? data.adminSocket(of: database)
        if let lost = await Examination.lostFile(at: socket) {
            throw Failure("\(lost.finding) No backup was made.")
        }
        try SQLiteFile.backUp(database, to: file)
        let version = try ofTheCopy { try SQLiteFile.verify(file) }
        let fingerprint = SQLiteFile.keyFingerprint(file)
        // An interrupted rotation has not renamed the new key yet.
        let keyPath = KeyFile.place(of: fingerprint, at: try data.keyPath(of: database))
        let copy = try source.isInEnvironment ? nil : KeyCopy(from: keyPath, to: file + ".key")
        Terminal.printLine(
            "Backed up \(database) to \(file) (schema version \(version), checked).")
        let isRight = fingerprint.map { source.find($0) != nil } ?? true
        report(copy, of: keyPath, isRight: isRight)
        if !isRight, try source.read() != nil {
            Terminal.printLine(
                """
                WITH ANOTHER KEY: \(source.name) is not the key that the database was used with. \
                lifesignal doctor says more.
                """)
        }
        if verify { try verifyCopy(of: database, isUsable: isRight) }
    }

    /// - Parameters:
    ///   - copy: nil for a key in the environment.
    ///   - isRight: whether the key is the one that the database was used with.
    private func report(_ copy: KeyCopy?, of keyPath: String, isRight: Bool) {
        switch copy {
        case nil where isRight:
            Terminal.printLine("Keep LIFESIGNAL_KEY with it: without that key it can't be used.")
        case .copied? where isRight: Terminal.printLine("The key is beside it: \(file).key")
        case nil, .copied?, .same?: break
        case .missing?:
            Terminal.printLine(
                """
                WITHOUT A KEY: there is none at \(keyPath). If the server has a --key-file, \
                give it here, too.
                """
            )
        case .different?:
            Terminal.printLine(
                """
                WITHOUT ITS KEY: \(file).key exists already and is another one. Copy \
                \(keyPath) yourself.
                """
            )
        }
    }

    /// - Parameter isUsable: whether the key is right, so that the copy counts as a backup.
    private func verifyCopy(of database: String, isUsable: Bool) throws {
        let contents = try ofTheCopy { try SQLiteFile.verifyThoroughly(file) }
        Terminal.printLine(
            """
            Verified: \(contents.people) people, \(contents.contacts) contacts, \
            \(contents.checkIns) check-ins, \(contents.alerts) alerts.
            """)
        let note = BackupNote(verifiedAt: Date(), contents: contents)
        do { if isUsable { try note.save(besides: database) } } catch {
            Terminal.printAside(
                """
                The time can't be noted in \(BackupNote.path(of: database)). Free some space, or \
                let this user write there: \(error)
                """)
            throw Self.notNoted
        }
    }
}

extension Backup {
    /// Gives the error about a damaged copy its own text, because the standard text would recommend
    /// restoring a backup.
    private func ofTheCopy<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch DatabaseError.damaged {
            throw Failure(
                """
                the copy \(file) is damaged: the database is inconsistent, or the disk under \
                \(file) is faulty. Keep the backups you have; lifesignal doctor looks at the \
                database.
                """)
        }
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the database. Stop the server first.",
        discussion: """
            The replaced database is kept under another name. The server doesn't know what \
            happened after the backup: it asks people who miss their deadline before it tells \
            their responders, and devices send again what they know.
            """
    )

    @Argument(help: "The backup to restore.")
    var file: String

    @Flag(help: "Restore it for another key, because its own is lost.")
    var acceptNewKey = false

    @OptionGroup var data: DataOptions

    func run() throws {
        Process.keepFilesPrivate()
        let database = try data.databasePath()
        let keyPath = try data.keyPath(of: database)
        let source = try data.keySource(of: database)
        if !source.isInEnvironment { try KeyCopy.checkPlace(keyPath) }
        if !acceptNewKey { try checkKey(source, at: keyPath) }
        for path in [database, keyPath] {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        if let kept = try SQLiteFile.restore(file, to: database) {
            Terminal.printLine("The replaced database is now \(kept).")
            let keyOption = source.isInEnvironment ? "" : " --key-file \(keyPath)"
            Terminal.printLine(
                """
                Locks, revoked links and `keys forget` from after the backup are undone. This \
                lists what to repeat: lifesignal admin log --database \(kept)\(keyOption)
                """)
        }
        if !source.isInEnvironment { try placeKey(at: keyPath) }
        if let refusal = MovedMark(database).refusal {
            Terminal.printLine("Restored \(file) to \(database). No server starts on it yet:")
            return Terminal.printLine(refusal)
        }
        let option =
            (try data.givenKeyPath().map { " --key-file \($0)" } ?? "")
            + (acceptNewKey ? " --accept-new-key" : "")
        Terminal.printLine(
            """
            Restored \(file) to \(database). Start the server: lifesignal serve --database \
            \(database)\(option)
            """
        )
    }

    /// Throws `Failure`, before any change, if the server's key would differ from the backup's, or
    /// if the server has none and the file beside the backup isn't one.
    private func checkKey(_ source: KeySource, at keyPath: String) throws {
        if !source.isThere, let unusableKey {
            throw Failure(
                """
                \(unusableKey). Nothing was changed. Look beside the other backups, and put the \
                right key at \(keyPath) first; only if it is lost, give --accept-new-key.
                """)
        }
        let copy = FileManager.default.contents(atPath: file + ".key").flatMap {
            ServerKey(bytes: $0)?.fingerprint
        }
        guard let wanted = SQLiteFile.keyFingerprint(file) ?? copy else { return }
        guard let own = try source.read()?.fingerprint else {
            guard copy == nil || copy == wanted else {
                throw Failure(
                    """
                    \(file).key is not the key of this backup. Nothing was changed. Put the right \
                    one at \(keyPath) first; only if it is lost, give --accept-new-key.
                    """)
            }
            return
        }
        guard own != wanted else { return }
        throw Failure(
            """
            \(source.name) is not the key of this backup. Nothing was changed. Put the backup's \
            key there first: \(way(to: wanted, copy: copy, source, at: keyPath)). Only if that key \
            is lost, give --accept-new-key.
            """)
    }

    /// Why the file beside the backup can't be its key; nil if it can, or if there is none.
    private var unusableKey: String? {
        let path = file + ".key"
        guard !SecretFile.isMissing(path) else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            return "\(path) can't be read"
        }
        guard ServerKey(bytes: bytes) == nil else { return nil }
        return "\(path) has \(bytes.count) bytes, fewer than a key"
    }

    /// Says how to put the backup's key in the place of the present one, or where to look for it.
    /// - Parameters:
    ///   - wanted: the fingerprint of the backup's key.
    ///   - copy: the fingerprint of the key beside the backup; nil without a usable one.
    private func way(
        to wanted: Int64, copy: Int64?, _ source: KeySource, at keyPath: String
    ) -> String {
        guard let copy else {
            let reason = unusableKey ?? "there is no key at \(file).key"
            return "\(reason), so look beside the other backups"
        }
        guard copy == wanted else {
            return "\(file).key is another key, so look beside the other backups"
        }
        return source.isInEnvironment ? "base64 -w 0 \(file).key" : replacement(of: keyPath)
    }

    /// Returns the command that puts the backup's key in the place of the present one. It keeps
    /// that one, without which the replaced database and newer backups can't be used.
    private func replacement(of keyPath: String) -> String {
        "install -b -m 600 \(file).key \(keyPath)"
    }

    private func placeKey(at keyPath: String) throws {
        switch try unusableKey == nil ? KeyCopy(from: file + ".key", to: keyPath) : .missing {
        case .copied: Terminal.printLine("Its key is now \(keyPath).")
        case .same: break
        case .missing where FileManager.default.fileExists(atPath: keyPath):
            Terminal.printLine(
                """
                The backup has no key beside it (\(unusableKey ?? file + ".key")): the one at \
                \(keyPath) stays.
                """)
        case .missing:
            Terminal.printLine("WITHOUT A KEY: \(unusableKey ?? "there is none at \(file).key").")
            Terminal.printLine(
                """
                Put the server's key at \(keyPath): without it the server does not start. Only if \
                it is lost, start once with --accept-new-key.
                """
            )
        case .different:
            Terminal.printLine(
                """
                THE KEYS DIFFER: the one at \(keyPath) stays. If the backup's is right: \
                \(replacement(of: keyPath))
                """
            )
        }
    }
}

extension SQLiteFile {
    /// Returns the fingerprint of the key that a database was used with; nil without such a key.
    fileprivate static func keyFingerprint(_ path: String) -> Int64? {
        (try? read(path) { try $0.serverState().keyFingerprint }) ?? nil
    }
}

/// The result of copying the key. Copying never overwrites an existing key.
enum KeyCopy {
    case copied, same, missing, different

    /// Throws `Failure` for a link to nothing, which is neither a key nor the place for one.
    static func checkPlace(_ destination: String) throws {
        var status = stat()
        guard lstat(destination, &status) == 0, SecretFile.isMissing(destination) else { return }
        throw Failure("\(destination) is a link to a file that doesn't exist. Remove it first.")
    }

    init(from source: String, to destination: String) throws {
        guard let key = FileManager.default.contents(atPath: source) else {
            guard SecretFile.isMissing(source) else {
                throw Failure("the key \(source) can't be read.")
            }
            self = .missing
            return
        }
        guard !FileManager.default.fileExists(atPath: destination) else {
            self = FileManager.default.contents(atPath: destination) == key ? .same : .different
            return
        }
        try KeyFile.place(key, at: destination)
        self = .copied
    }
}
