import ArgumentParser
import Domain
import Foundation
import Persistence

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check what a server needs, and say how to mend what is wrong.",
        discussion: "Takes the same options as serve. Exits with 1 when something must be mended."
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var reach: ReachOptions

    func run() async throws {
        let settings = try options.settings(reach)
        var examinations: [Examination]
        switch settings.database {
        case .file(let path):
            examinations = [
                .database(path), .disk(path), .clock(settings, path), .sms(settings),
                .pushKey(path, settings), .waitingMessages(path),
            ]
            // There is nothing spent without a database, or in an old one.
            let spent = (try? SQLiteFile.read(path) { try $0.spending() }) ?? [:]
            examinations += Examination.budgets(settings.reach.budgets, spent)
        case .postgreSQL(let address):
            examinations = Examination.postgreSQL(address, settings) + [.sms(settings)]
        }
        examinations += [.mail(settings.reach.mail), .apps(settings), .port(settings)]
        for examination in examinations { Terminal.printLine(examination.line) }
        if examinations.contains(where: \.isBad) { throw ExitCode(1) }
        Terminal.printLine("All is well.")
    }
}

/// One thing looked at.
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

    static func database(_ path: String) -> Examination {
        guard FileManager.default.fileExists(atPath: path) else {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let isPossible =
                !FileManager.default.fileExists(atPath: folder)
                || FileManager.default.isWritableFile(atPath: folder)
            return isPossible
                ? .init(
                    grade: .note, subject: "database", finding: "there is none yet at \(path)",
                    mend: "lifesignal serve makes it.")
                : .init(
                    grade: .bad, subject: "database", finding: "\(folder) can't be written",
                    mend: "chown \(NSUserName()) \(folder)")
        }
        do {
            let version = try SQLiteFile.verify(path)
            return .init(
                grade: .good, subject: "database",
                finding: "\(path) is whole, schema version \(version)")
        } catch {
            return .init(
                grade: .bad, subject: "database", finding: "\(error)",
                mend: "lifesignal restore BACKUP --database \(path)")
        }
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
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize) / 1_000_000
        return free < 500
            ? .init(
                grade: .bad, subject: "disk", finding: "\(free) MB free at \(folder)",
                mend: "Free some space: a full disk stops check-ins.")
            : .init(grade: .good, subject: "disk", finding: "\(free) MB free at \(folder)")
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
                finding: "messages are printed in the terminal, nobody gets one",
                mend: "For real people: --sms twilio")
        case .none:
            .init(
                grade: .note, subject: "SMS",
                finding: "no provider: only test numbers can sign in",
                mend: "For real people: --sms twilio")
        }
    }

    /// Text messages that the provider has refused so far.
    static func waitingMessages(_ path: String) -> Examination {
        // There are no messages to show without a database, or with an old one.
        waitingMessages((try? SQLiteFile.read(path) { try $0.retryingDeliveries(.sms) }) ?? [:])
    }

    static func waitingMessages(_ waiting: [String: Int]) -> Examination {
        let subject = "text messages"
        guard !waiting.isEmpty else {
            return .init(grade: .good, subject: subject, finding: "none waits for another try")
        }
        let reasons = waiting.sorted { $0.key < $1.key }.map { "\($0.value) after \($0.key)" }
        return .init(
            grade: .note, subject: subject,
            finding: "some wait for another try: \(reasons.joined(separator: ", "))",
            mend: "Check the credentials and the account at the SMS provider.")
    }

    static func port(_ settings: ServeSettings) -> Examination {
        let subject = "port"
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else {
            return .init(
                grade: .bad, subject: subject, finding: "no socket can be opened",
                mend: "Check ulimit -n.")
        }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(settings.port).bigEndian
        inet_pton(
            AF_INET, settings.host == "localhost" ? "127.0.0.1" : settings.host, &address.sin_addr)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else {
            return .init(
                grade: .bad, subject: subject,
                finding:
                    """
                    \(settings.host):\(settings.port) can't be used: \
                    \(String(cString: strerror(errno)))
                    """,
                mend: "Stop the program that has it, or give another --port.")
        }
        return .init(
            grade: .good, subject: subject, finding: "\(settings.host):\(settings.port) is free")
    }
}
