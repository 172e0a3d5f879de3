import API
import ArgumentParser
import CommandLine
import Cryptography
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging
import Persistence
import SafetyNetwork
import Settings
import Synchronization

struct AdminOptions: ParsableArguments {
    @Option(help: "As of serve. (default: ./data/lifesignal.sqlite)")
    var database: String?

    @Option(help: "As of serve.")
    var keyFile: String?

    @Option(help: "The server's socket. (default: the database's path with .admin)")
    var adminSocket: String?

    @Option(help: "As of serve. (default: /etc/lifesignal/lifesignal.yaml, if it exists)")
    var config: String?

    @Flag(help: "Print JSON, also for failures.")
    var json = false
}

/// Why a command of `lifesignal admin` failed, in one sentence and with a code.
struct AdminFailure: Error, Equatable {
    var code: String
    var message: String
    var status: ExitStatus

    static func otherUser(_ path: String) -> AdminFailure {
        AdminFailure(
            code: ErrorCode.permissionDenied.rawValue,
            message: "\(path) belongs to another user. \(AdminSocket.otherUser)",
            status: .refused)
    }

    static func missingKey(_ key: KeySource) -> AdminFailure {
        AdminFailure(
            code: ErrorCode.notFound.rawValue,
            message: "There is no key at \(key.name). Give the --key-file of serve.",
            status: .usage)
    }

    init(code: String, message: String, status: ExitStatus) {
        self.code = code
        self.message = message
        self.status = status
    }

    init(_ problem: Problem) {
        let isUnreachable = [.unavailable, .internal].contains(problem.code)
        self.init(
            code: problem.code.rawValue, message: problem.detail,
            status: isUnreachable ? .unreachable : .refused)
    }

    init(catching error: any Error) {
        switch error {
        case let failure as AdminFailure: self = failure
        case let error as CommandError:
            var message = UserFacingError(error).message
            if case .invalidArgument(_, let detail, _) = error { message = detail }
            self.init(code: UserFacingError(error).code, message: message, status: .usage)
        case let error as SettingError:
            self.init(
                code: ErrorCode.invalidArgument.rawValue, message: error.description,
                status: .usage)
        case let error as DatabaseError: self.init(error)
        default: self.init(code: "failed", message: "\(error)", status: .failed)
        }
    }

    private init(_ error: DatabaseError) {
        var (code, status) = ("failed", ExitStatus.failed)
        var shown = error
        switch error {
        case .noTables, .vanished: (code, status) = (ErrorCode.notFound.rawValue, .usage)
        case .olderVersion: (code, status) = ("older-database", .refused)
        // Unlike a server, this command doesn't wait for space.
        case .diskFull(let path): shown = .noRoomForCopy(path: path)
        default: break
        }
        self.init(code: code, message: "\(shown)", status: status)
    }
}

/// Brings a command to the running server, or does it on the database while no server runs.
struct AdminConnection {
    /// Long enough for a test message and for the deletion of a person with a long history.
    private static let usualTimeout: Duration = .seconds(60)
    /// An export reads a person's whole history.
    private static let exportTimeout: Duration = .minutes(10)
    /// In bytes. An export has a picture and a long history.
    private static let responseLimit = 256 * 1024 * 1024

    let options: AdminOptions

    /// Returns the answer's JSON. Throws `AdminFailure`, `Failure`, `SettingError` or
    /// `DatabaseError`.
    func send(_ request: AdminRequest) async throws -> Data {
        // A running server can be administered although another setting has become wrong.
        let environment = try SettingsEnvironment.data(config: options.config)
        let location = try DatabaseLocation(option: options.database, environment: environment)
        let body = try WireJSON.encoder().encode(request)
        let read = SettingReader(environment: environment)
        if let socket = try location.adminSocket(options.adminSocket, read),
            let answer = try await ask(socket, body, timeout: Self.timeout(of: request))
        {
            return answer
        }
        let settings = try settings()
        guard settings.isPublicURLGiven || !request.namesTheServer else {
            throw AdminFailure(
                code: ErrorCode.invalidArgument.rawValue,
                message: """
                    No server answers here, so its address isn't known, which people get by this \
                    command. Set LIFESIGNAL_PUBLIC_URL as for serve, or start the server.
                    """,
                status: .usage)
        }
        // The text message would appear only in this terminal, so the person would not get it.
        if case .move = request, case .console = settings.sms {
            throw AdminFailure(
                code: ErrorCode.invalidArgument.rawValue,
                message: """
                    No server answers here, so this command itself has to send the text message \
                    to the present number. Set LIFESIGNAL_SMS and the provider's variables as \
                    for serve (none, if the server sends no text messages), or start the server.
                    """,
                status: .usage)
        }
        return try await DirectAdmin.answer(
            body, settings, location, countsChannels: request.countsChannels)
    }

    private static func timeout(of request: AdminRequest) -> Duration {
        if case .export = request { exportTimeout } else { usualTimeout }
    }

    private func settings() throws -> ServeSettings {
        var arguments: [String] = []
        if let database = options.database { arguments += ["--database", database] }
        if let keyFile = options.keyFile { arguments += ["--key-file", keyFile] }
        if let config = options.config { arguments += ["--config", config] }
        return try ServeOptions.parse(arguments).settings(try ReachOptions.parse([]))
    }

    /// Returns nil if no server listens.
    private func ask(_ socket: String, _ body: Data, timeout: Duration) async throws -> Data? {
        guard access(socket, R_OK | W_OK) == 0 else {
            guard errno == EACCES else { return nil }
            throw AdminFailure.otherUser(socket)
        }
        guard let url = URL(string: "http://localhost\(AdminSocket.route)") else { return nil }
        var request = OutgoingRequest(
            url: url, headers: [("Content-Type", "application/json")], body: body,
            timeout: timeout)
        request.socketPath = socket
        request.responseLimit = Self.responseLimit
        let answer: IncomingResponse
        do {
            answer = try await HTTPClient(allowsPrivateAddresses: true).send(request)
        } catch HTTPClientError.refused {
            return nil
        } catch {
            throw AdminFailure(
                code: "unreachable", message: "The server did not answer: look at its log.",
                status: .unreachable)
        }
        return try Self.read(answer.status, answer.body)
    }

    static func read(_ status: Int, _ body: Data) throws -> Data {
        guard status != 200 else { return body }
        guard let problem = try? WireJSON.tolerantDecoder().decode(Problem.self, from: body) else {
            throw AdminFailure(
                code: "malformed-answer", message: "The answer did not come from a server.",
                status: .unreachable)
        }
        throw AdminFailure(problem)
    }
}

extension AdminRequest {
    /// Whether the answer says which channels reach people.
    fileprivate var countsChannels: Bool {
        switch self {
        case .people, .person, .stuck: true
        default: false
        }
    }

    /// Whether people get the server's address: in a link, or in a text message.
    fileprivate var namesTheServer: Bool {
        switch self {
        case .invite, .move: true
        default: false
        }
    }
}

/// Does a command on the database, without a running server.
private enum DirectAdmin {
    /// Servers still send to a kind of app if one registered or got a message within this time.
    private static let appsAreUsed: Duration = .days(14)

    /// - Parameter messages: their kind in words, such as "text messages".
    private static func noProvider(of messages: String) -> String {
        """
        This command's settings name no provider for \(messages): give it the variables of \
        lifesignal.env.
        """
    }

    /// Returns what to do before a test by a channel; empty if the settings turn the channel off.
    private static func hint(
        _ channel: AdminTestChannel, _ settings: ServeSettings
    ) -> String {
        switch channel {
        case .sms: if case .none = settings.sms { "" } else { noProvider(of: "text messages") }
        case .mail: if case .none = settings.reach.mail { "" } else { noProvider(of: "e-mail") }
        case .call: noProvider(of: "calls")
        case .push: ""
        }
    }

    /// - Parameter channels: those whose messages this command would only print.
    private static func uncounted(_ channels: Set<DeliveryChannel>) -> String {
        let names = [
            channels.contains(.sms) ? "text messages" : nil,
            channels.contains(.email) ? "e-mail" : nil,
        ].compactMap(\.self)
        return """
            \(noProvider(of: names.joined(separator: " and "))) Messages that it would only print \
            don't count here.
            """
    }

    private final class Texts: Sendable {
        private let waiting = Mutex<[(PhoneNumber, String)]>([])

        func add(_ number: PhoneNumber, _ text: String) {
            waiting.withLock { $0.append((number, text)) }
        }
        var all: [(PhoneNumber, String)] { waiting.withLock { $0 } }
    }

    /// - Parameter countsChannels: true if the answer says which channels reach people.
    static func answer(
        _ body: Data, _ settings: ServeSettings, _ location: DatabaseLocation,
        countsChannels: Bool
    ) async throws -> Data {
        Process.prepareForServing()
        let logger = Logger(label: "lifesignal")
        let keys = try check(settings, location)
        // Files that root made beside the database would keep the server from starting.
        let user = try FileUser(location)
        defer { user?.leave() }
        let open = try await openDatabase(settings)
        defer { try? open.close() }
        let (database, clock) = (open.engine, open.clock)
        let state = try await database.read { try $0.serverState() }
        try start(clock, remembering: database.clockMemory(state))
        // A rotation may have been interrupted before it renamed the file.
        let known = state.keyFingerprint
        guard let key = keys.first(where: { $0.fingerprint == known }) ?? keys.first else {
            throw AdminFailure.missingKey(settings.key)
        }
        let now: @Sendable () -> Date = { clock.now() }
        let direct = Carriers.Direct(settings, now: now, logger: logger) {
            Terminal.printAside($0)
        }
        let texts = Texts()
        var environment = direct.environment()
        environment.clock = clock
        // The process ends with the command, so the texts are sent at its end.
        environment.sendText = { texts.add($0, $1) }
        var options = SafetyNetwork.Options(settings, hasSMS: direct.hasSMS)
        options.knowsSignUp = settings.signUp != nil
        // The servers send to these apps, whose keys this process may lack.
        let since = now().adding(.zero - appsAreUsed)
        options.pushKinds.formUnion(
            try await database.read { try $0.appKinds(usedSince: since) })
        let uncounted =
            countsChannels ? countChannels(in: &options, state.runningChannels(at: now())) : []
        let network = SafetyNetwork(
            database: database, options: options, key: key, environment: environment)
        try await network.keyRotation.load()
        let carriers = Carriers(direct, settings, network, key: key, now: now, logger: logger)
        let desk = AdminDesk(
            network,
            phoneNumbers: .libphonenumber(
                except: Set(settings.testNumbers.keys), country: settings.country),
            test: { try await carriers.test($0, to: $1, hint: hint($0, settings)) })
        var answer = await desk.respond(
            to: body, by: LocalUser.name(UInt32(getuid())), requestID: "direct")
        // Continues with the next start if this process is killed.
        if answer.status == 200 {
            try? await network.keyRotation.renew()
            if !uncounted.isEmpty { Terminal.printAside(Self.uncounted(uncounted)) }
        }
        for (number, text) in texts.all {
            guard let reason = await direct.send(text, to: number) else { continue }
            answer.body = (try? adding(reason, to: answer.body)) ?? answer.body
        }
        await direct.messages.finish()
        return try AdminConnection.read(answer.status, answer.body)
    }

    /// Makes the options have the channels of the servers that run. Without these, leaves out the
    /// channels whose messages this command would only print, and returns these.
    private static func countChannels(
        in options: inout SafetyNetwork.Options, _ running: Set<DeliveryChannel>
    ) -> Set<DeliveryChannel> {
        guard running.isEmpty else {
            options.isSMSAvailable = running.contains(.sms)
            options.isEmailAvailable = running.contains(.email)
            options.isVoiceAvailable = running.contains(.voice)
            return []
        }
        let shown = options.channelsShownHere
        if shown.contains(.sms) { options.isSMSAvailable = false }
        if shown.contains(.email) { options.isEmailAvailable = false }
        return shown
    }

    /// Opens the database, and never upgrades it: it may be a backup, or the database of older
    /// servers that run. Notes changes for the copy at Google if the servers keep one, even if this
    /// process lacks their settings for it.
    private static func openDatabase(_ settings: ServeSettings) async throws -> OpenDatabase {
        do {
            let open = try OpenDatabase(
                settings, mayMigrate: false, report: { _ in }, receive: { _ in })
            do {
                guard settings.firestore == nil,
                    try await open.engine.read({ try $0.keepsCopies() })
                else { return open }
            } catch {
                try? open.close()
                throw error
            }
            try open.close()
            return try OpenDatabase(
                settings, mayMigrate: false, notesCopyChanges: true, report: { _ in },
                receive: { _ in })
        } catch DatabaseError.inUse(let path) {
            throw AdminFailure(
                code: "in-use",
                message: """
                    A server has \(path) open, but nothing listens at its admin socket. Give the \
                    --admin-socket of serve, or stop the server.
                    """,
                status: .refused)
        }
    }

    /// Continues the servers' time. Throws `AdminFailure` if the next server has to correct what
    /// the last one recorded by a wrong time: the correction would also move this command's times.
    private static func start(
        _ clock: ServerClock, remembering memory: ClockMemory?
    ) throws(AdminFailure) {
        clock.start(remembering: memory)
        // Reading the clock detects a correction.
        _ = clock.now()
        guard clock.correction == nil else {
            throw AdminFailure(
                code: "clock-corrected",
                message: """
                    The machine's clock was corrected while no server ran. Start the server, which \
                    corrects the recorded times, and repeat the command.
                    """,
                status: .refused)
        }
    }

    /// Adds to an `AdminDone` why the provider hasn't accepted a text message.
    private static func adding(_ reason: DeliveryReason, to body: Data) throws -> Data {
        var done = try WireJSON.tolerantDecoder().decode(AdminDone.self, from: body)
        done.message += " The provider has not accepted the text message: \(reason)."
        return try WireJSON.encoder().encode(done)
    }

    private static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid()
    }

    /// Returns the keys. Throws without a database or without a key, which only `serve` creates.
    private static func check(
        _ settings: ServeSettings, _ location: DatabaseLocation
    ) throws -> [ServerKey] {
        if case .file(let path) = location {
            guard location.hasFile else {
                if access(path, R_OK) != 0, errno == EACCES { throw AdminFailure.otherUser(path) }
                throw AdminFailure(
                    code: ErrorCode.notFound.rawValue,
                    message: "There is no database at \(path). Give the --database of serve.",
                    status: .usage)
            }
            guard access(path, R_OK | W_OK) == 0, isOwn(path) || geteuid() == 0 else {
                throw AdminFailure.otherUser(path)
            }
        }
        let keys = try settings.key.all()
        guard !keys.isEmpty else { throw AdminFailure.missingKey(settings.key) }
        return keys
    }
}

/// The owner of the database's file. Root becomes this user before it opens the file.
private struct FileUser {
    private let root = geteuid()
    private let rootGroup = getegid()

    /// Becomes that user; nil unless this is root and the file is another user's. Throws `Failure`.
    init?(_ location: DatabaseLocation) throws {
        var status = stat()
        guard case .file(let path) = location, geteuid() == 0, lstat(path, &status) == 0
        else { return nil }
        // Another user's link may lead to a file of root's, so the link's owner counts first.
        if status.st_uid == 0, stat(path, &status) != 0 { return nil }
        guard status.st_uid != 0 else { return nil }
        guard setegid(status.st_gid) == 0, seteuid(status.st_uid) == 0 else {
            let reason = String(cString: strerror(errno))
            leave()
            throw Failure("root can't become the user of \(path): \(reason).")
        }
    }

    /// Becomes root again.
    func leave() {
        _ = seteuid(root)
        _ = setegid(rootGroup)
    }
}
