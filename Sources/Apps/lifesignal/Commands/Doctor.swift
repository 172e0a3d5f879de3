import ArgumentParser
import Domain
import Foundation
import HTTPServer
import Persistence

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check what a server needs, and say how to fix problems.",
        discussion: """
            Checks database, backup, key, disk, clock, providers, ports and certificate, and asks \
            the running server. Takes the same options as serve. Exits with 1 if something must \
            be fixed.
            """
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var reach: ReachOptions

    func run() async throws {
        // A mail server may close the connection early, which must not end this process.
        Process.prepareForServing()
        let settings = try options.settings(reach)
        // The other examinations would read the files at the path, and advise to replace them.
        if let lost = await Examination.lostFile(at: settings.adminSocket) {
            Terminal.printLine(lost.line)
            throw ExitCode(1)
        }
        var examinations: [Examination]
        switch settings.database {
        case .file(let path):
            examinations = Self.examine(path, settings)
        case .postgreSQL(let address):
            examinations = Examination.postgreSQL(address, settings) + [.sms(settings)]
        }
        examinations += [
            await Examination.mail(settings.reach.mail), .apps(settings), .links(settings),
        ]
        examinations.append(await Examination.port(settings))
        if let port = await Examination.internalPort(settings) { examinations.append(port) }
        if let proxies = Examination.proxies(settings) { examinations.append(proxies) }
        if let proxy = Examination.outboundProxy(settings) { examinations.append(proxy) }
        if let certificate = Examination.certificate(settings, now: Date()) {
            examinations.append(certificate)
        }
        examinations += await Examination.firestore(settings)
        examinations += Examination.hosts(settings)
        let server = await Examination.runningServer(settings)
        examinations += server ?? []
        for examination in examinations { Terminal.printLine(examination.line) }
        if examinations.contains(where: \.isBad) { throw ExitCode(1) }
        Terminal.printLine(
            server?.isEmpty ?? true ? "All is well." : "The running server warns, as shown above.")
        if server == nil, Self.hasUntriedProviders(settings) {
            Terminal.printLine("SMS, calls and pushes were not tried: lifesignal admin test")
        }
    }

    /// Whether there are providers that only a message can try.
    private static func hasUntriedProviders(_ settings: ServeSettings) -> Bool {
        switch settings.sms {
        case .twilio, .gateway: true
        case .console, .none:
            settings.reach.voice != nil || settings.apps.apns != nil || settings.apps.fcm != nil
        }
    }

    private static func examine(_ path: String, _ settings: ServeSettings) -> [Examination] {
        let database = Examination.database(path, settings)
        let key = Examination.key(path, settings)
        var examinations = [database]
        if key.isBad || !database.isBad { examinations.append(key) }
        examinations += [.disk(path), .clock(settings, path), .sms(settings)]
        if let backup = Examination.backup(path, now: Date()) { examinations.append(backup) }
        // The other examinations would take an unreadable database for an empty one.
        guard !database.isBad else { return examinations }
        if let key = Examination.pushKey(path, settings) { examinations.append(key) }
        examinations.append(.waitingMessages(path))
        // If the database is missing or has an old schema, nothing counts as spent.
        let spent = (try? SQLiteFile.read(path) { try $0.spending() }) ?? [:]
        return examinations + Examination.budgets(settings.reach.budgets, spent)
    }
}

struct Examination {
    enum Grade { case good, note, bad }

    var grade: Grade
    var subject: String
    var finding: String
    var mend: String?

    var isBad: Bool { grade == .bad }

    var line: String {
        let mark =
            switch grade {
            case .good: "ok  "
            case .note: "note"
            case .bad: "BAD "
            }
        return "\(mark)  \(subject): \(finding)" + (mend.map { "\n      → \($0)" } ?? "")
    }

    static func database(_ path: String, _ settings: ServeSettings) -> Examination {
        let subject = "database"
        if let refusal = MovedMark(path).refusal {
            return .init(grade: .bad, subject: subject, finding: refusal)
        }
        guard !SQLiteFile.isMissing(path) else { return missing(path, settings) }
        do {
            let version = try SQLiteFile.verify(path)
            return .init(
                grade: .good, subject: subject,
                finding: "\(path) is whole, schema version \(version)"
            )
        } catch {
            let mend =
                switch error {
                case .newerVersion: "Install the newer LifeSignal that has used this database."
                case .cannotOpen, .readOnly:
                    "Give --database the path of a file that \(NSUserName()) may read and write."
                case .inUse: "Stop the program that has it open."
                default: "lifesignal restore BACKUP --database \(path)"
                }
            return .init(grade: .bad, subject: subject, finding: "\(error)", mend: mend)
        }
    }

    private static func missing(_ path: String, _ settings: ServeSettings) -> Examination {
        let subject = "database"
        guard BeginningAnew(path, settings).isAllowed else {
            return .init(
                grade: .bad, subject: subject, finding: "\(DatabaseError.vanished(path: path))")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let isPossible =
            !FileManager.default.fileExists(atPath: folder)
            || FileManager.default.isWritableFile(atPath: folder)
        return isPossible
            ? .init(
                grade: .note, subject: subject, finding: "there is none yet at \(path)",
                mend: "lifesignal serve makes it.")
            : .init(
                grade: .bad, subject: subject, finding: "\(folder) can't be written",
                mend: "chown \(NSUserName()) \(folder)")
    }

    static func disk(_ path: String) -> Examination {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while !FileManager.default.fileExists(atPath: folder), folder != "/" {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            return .init(
                grade: .bad, subject: "disk", finding: "\(folder) can't be examined",
                mend: "Check that the disk is mounted.")
        }
        let free = FreeDisk.bytes(status)
        let finding = "\(free / 1_000_000) MB free at \(folder)"
        return DiskSpace.warning(free: free) == nil
            ? .init(grade: .good, subject: "disk", finding: finding)
            : .init(
                grade: .bad, subject: "disk", finding: finding,
                mend: "Free some space: a full disk stops check-ins.")
    }

    /// Checks the age of the last verified backup; nil without a database.
    static func backup(_ path: String, now: Date) -> Examination? {
        guard !SQLiteFile.isMissing(path) else { return nil }
        let subject = "backup"
        guard !BackupNote.isUnreadable(besides: path) else {
            let note = BackupNote.path(of: path)
            return .init(
                grade: .note, subject: subject,
                finding: "\(note), which has the time of the last verified one, can't be read",
                mend: "chmod 644 \(note)")
        }
        let age = BackupNote.age(besides: path, at: now)
        guard age.isFinite else {
            return .init(
                grade: .note, subject: subject, finding: "no verified one is known",
                mend: "lifesignal backup FILE --verify, or systemctl start lifesignal-backup")
        }
        let finding = "the last verified one is \(Int(age / 3_600)) hours old"
        return age > BackupNote.oldAge
            ? .init(
                grade: .note, subject: subject, finding: finding,
                mend: "systemctl start lifesignal-backup; journalctl -u lifesignal-backup")
            : .init(grade: .good, subject: subject, finding: finding)
    }

    static func sms(_ settings: ServeSettings) -> Examination {
        switch settings.sms {
        case .twilio where !settings.isPublicURLGiven:
            .init(
                grade: .note, subject: "SMS", finding: "Twilio, without reports of what arrived",
                mend: "Give --public-url.")
        case .gateway:
            .init(grade: .good, subject: "SMS", finding: "a gateway is configured")
        case .twilio: .init(grade: .good, subject: "SMS", finding: "Twilio is configured")
        case .console:
            .init(
                grade: .note, subject: "SMS",
                finding: "messages are only printed in the terminal; no one gets them",
                mend: "For real people: --sms twilio")
        case .none:
            .init(
                grade: .note, subject: "SMS",
                finding: "no provider: only test numbers and tokens for a number sign in",
                mend: "For real people: --sms twilio")
        }
    }

    /// Checks for text messages that wait for a retry after the provider rejected them.
    static func waitingMessages(_ path: String) -> Examination {
        // The database may be missing or have an old schema; then the count is zero.
        waitingMessages((try? SQLiteFile.read(path) { try $0.retryingDeliveries(.sms) }) ?? [:])
    }

    static func waitingMessages(_ waiting: [String: Int]) -> Examination {
        let subject = "text messages"
        guard !waiting.isEmpty else {
            return .init(grade: .good, subject: subject, finding: "none is waiting for a retry")
        }
        let reasons = waiting.sorted { $0.key < $1.key }.map { "\($0.value) after \($0.key)" }
        return .init(
            grade: .note, subject: subject,
            finding: "some are waiting for a retry: \(reasons.joined(separator: ", "))",
            mend: "Check the credentials and the account at the SMS provider.")
    }
}
