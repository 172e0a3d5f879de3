import ArgumentParser
import Foundation
import Persistence

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a consistent copy of the database, also while a server uses it.",
        discussion: "The server's key is copied beside it as FILE.key: keep the two together, and keep them safe."
    )

    @Argument(help: "The file to write. It must not exist yet.")
    var file: String

    @Option(help: "The database to copy.")
    var database = ProcessInfo.processInfo.environment["LIFESIGNAL_DATABASE"] ?? "./data/lifesignal.sqlite"

    func run() throws {
        Process.keepFilesPrivate()
        guard !FileManager.default.fileExists(atPath: file) else { throw Failure("\(file) exists already; a backup never overwrites.") }
        try SQLiteFile.backUp(database, to: file)
        let version = try SQLiteFile.verify(file)
        try CompanionKey.copy(from: database, to: file)
        Terminal.say("Backed up \(database) to \(file) (schema version \(version), checked).")
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the database. Stop the server first.",
        discussion: "What stood there is kept under another name."
    )

    @Argument(help: "The backup to restore.")
    var file: String

    @Option(help: "The database to replace.")
    var database = ProcessInfo.processInfo.environment["LIFESIGNAL_DATABASE"] ?? "./data/lifesignal.sqlite"

    func run() throws {
        Process.keepFilesPrivate()
        let folder = URL(fileURLWithPath: database).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let kept = try SQLiteFile.restore(file, to: database) { Terminal.say("The database that stood there is now \(kept).") }
        try CompanionKey.copy(from: file, to: database)
        Terminal.say("Restored \(file) to \(database). Start the server: lifesignal serve --database \(database)")
    }
}

/// The key that belongs to a database lies beside it.
private enum CompanionKey {
    static func copy(from source: String, to destination: String) throws {
        let (from, to) = (source + ".key", destination + ".key")
        guard FileManager.default.fileExists(atPath: from), !FileManager.default.fileExists(atPath: to) else { return }
        try FileManager.default.copyItem(atPath: from, toPath: to)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: to)
    }
}
