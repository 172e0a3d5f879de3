import Clients
import ClientsLive
import Domain
import Foundation

/// The folder with this client's session, local copy and queue, readable only by its user.
struct Home: Sendable {
    let folder: URL

    /// Throws `CommandFailure` if other users may write into the folder.
    init(_ folder: URL) throws {
        self.folder = folder
        var information = stat()
        guard stat(folder.path, &information) == 0 else { return }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            throw Self.failure("\(folder.path) is not a folder.", "Give another --home.")
        }
        guard information.st_uid == geteuid() else {
            throw Self.failure(
                "\(folder.path) belongs to another user of this computer.",
                "Give a --home of your own.")
        }
        guard information.st_mode & 0o022 == 0 else {
            throw Self.failure(
                "Others may write into \(folder.path), and could act as you.",
                "Run `chmod 700 \(folder.path)`.")
        }
    }

    /// Returns the folder from `--home`, else from `LIFESIGNAL_HOME`, else the default in the
    /// user's settings folder.
    static func folder(option: String?, environment: [String: String]) -> URL {
        if let path = [option, environment["LIFESIGNAL_HOME"]].compactMap(\.self).first(where: {
            !$0.isEmpty
        }) {
            return URL(fileURLWithPath: (path as NSString).expandingTildeInPath, isDirectory: true)
                .standardizedFileURL
        }
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            return URL(fileURLWithPath: base, isDirectory: true).appending(
                path: "lifesignal", directoryHint: .isDirectory)
        }
        let user =
            environment["HOME"].map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.homeDirectoryForCurrentUser
        return user.appending(path: ".config/lifesignal", directoryHint: .isDirectory)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func make() throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Self.failure("The folder \(folder.path) can't be made.", "Give another --home.")
        }
    }

    // MARK: The session

    var tokens: FileTokenStore { FileTokenStore(path: path("session.json")) }

    /// Whether a session is stored here. Throws `CommandFailure` if the file can't be read.
    func isSignedIn() throws -> Bool {
        do { return try tokens.load() != nil } catch { throw Self.failure("\(error)", "") }
    }

    /// Throws `CommandFailure` if no session is stored here.
    func checkSignedIn() async throws {
        guard try !isSignedIn() else { return }
        throw await signedOut(.notSignedIn)
    }

    /// Returns the failure of a command without a session: that an alert was not sent, if the ended
    /// session left one, else the given failure.
    func signedOut(_ failure: CommandFailure) async -> CommandFailure {
        let unsent = await LiveClients.unsentAlerts(in: folder)
        return unsent.isEmpty ? failure : CommandFailure(UserFacingError.signedOut(with: unsent))
    }

    /// Returns lines about the alerts that an ended session left, for a person who signs in.
    func linesBeforeSignIn() async -> [String] {
        await LiveClients.unsentAlerts(in: folder).first.map {
            [
                ConnectivityText.notSent(raisedAt: $0.createdAt)
                    + " `lifesignal sign-in` asks about it."
            ]
        } ?? []
    }

    /// Returns the failure of a sign-in. Adds that an alert was not sent if an ended session left
    /// one, because the sign-in lock can hold the sign-in back for days.
    func afterRefusedSignIn(_ error: any Error) async -> any Error {
        guard (try? isSignedIn()) == false,
            let alert = await LiveClients.unsentAlerts(in: folder).first
        else { return error }
        return ConnectivityText.refused(CommandFailure(catching: error), unsent: alert.createdAt)
    }

    /// Returns the error of a command. If the command has discovered that its session has ended,
    /// removes the local copy, and says whether an alert was not sent. The queue stays for the next
    /// sign-in of the same person.
    /// - Parameter open: sentences about the user's alerts that were on.
    func afterFailure(_ error: any Error, open: [String] = []) async -> any Error {
        let failure = CommandFailure(catching: error)
        guard failure.status == .notSignedIn else { return error }
        removeCopy()
        return await signedOut(failure).adding(open)
    }

    /// Returns the alerts of one user that an ended session left unsent.
    func unsentAlerts(of user: UserID) async -> [WaitingAction] {
        await LiveClients.unsentAlerts(in: folder, of: user)
    }

    /// Returns the unsent alerts of other accounts. The home doesn't tell a deleted account from
    /// that of another person, whose next sign-in asks about the alert.
    func unsentAlerts(besides user: UserID) async -> [WaitingAction] {
        let own = Set(await unsentAlerts(of: user).map(\.id))
        return await LiveClients.unsentAlerts(in: folder).filter { !own.contains($0.id) }
    }

    private struct Settings: Codable { var server: String }

    static let standardServer = "http://localhost:8080"

    private static let settings = "settings.json"

    /// Returns the server of the stored session. Never assumes one, because the server gets the
    /// session's tokens. Throws `CommandFailure` if the file is missing or damaged: every sign-in
    /// writes it.
    func server() throws -> URL {
        let file = path(Self.settings)
        guard let bytes = FileManager.default.contents(atPath: file),
            let settings = try? JSONDecoder().decode(Settings.self, from: bytes),
            let server = try? Self.server(settings.server)
        else {
            throw Self.failure(
                "\(file) can't be read, so LifeSignal's server is unknown.",
                """
                Write {"server": "https://lifesignal.example.org"} into it, with the address of \
                your server.
                """)
        }
        return server
    }

    func keep(server: URL) throws {
        try store(
            try? JSONEncoder().encode(Settings(server: server.absoluteString)), in: Self.settings)
    }

    /// Writes and flushes a second file, then renames it. A kill or a power cut therefore leaves
    /// either the old or the new content.
    private func store(_ content: Data?, in name: String) throws {
        try make()
        let file = path(name)
        let beside = file + ".new"
        // A killed process may have left this file.
        unlink(beside)
        guard let content, Self.write(content, to: beside), rename(beside, file) == 0 else {
            unlink(beside)
            throw Self.failure(
                "\(file) can't be written.", "Check the folder and the space on the disk.")
        }
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Returns false if the file can't be created, written or flushed.
    private static func write(_ content: Data, to file: String) -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let written = content.withUnsafeBytes {
            Foundation.write(descriptor, $0.baseAddress, $0.count)
        }
        return written == content.count && fsync(descriptor) == 0
    }

    /// Parses a URL that consists only of scheme, host, port and path prefix. Throws
    /// `CommandFailure` for any other text.
    static func server(_ text: String) throws -> URL {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            let host = parts.host, !host.isEmpty, let prefix = PathPrefix(parts.percentEncodedPath),
            parts.query == nil, parts.fragment == nil, parts.user == nil,
            let url = Self.url(scheme, host, port: parts.port, prefix)
        else {
            throw CommandFailure(
                .usage, .invalidArgument, title: "That is not a server address",
                "\(Plain.line(text)) does not lead to a server.",
                "Write it like https://lifesignal.example.org or http://localhost:8080.")
        }
        return url
    }

    private static func url(
        _ scheme: String, _ host: String, port: Int?, _ prefix: PathPrefix
    ) -> URL? {
        let host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return URL(string: "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(prefix.text)")
    }

    /// Returns whether others could read requests to this server on the way.
    static func isOpenToListeners(_ server: URL) -> Bool {
        server.scheme != "https"
            && !["localhost", "127.0.0.1", "::1", "[::1]"].contains(server.host() ?? "")
    }

    // MARK: Recovery codes

    private static let codesRequest = "recovery-codes.request"

    /// Returns the id for a request of recovery codes, and stores it. An id stays until its codes
    /// were printed. If an answer is lost, the server answers the same id with the same codes.
    func requestForCodes() throws -> UUID {
        if let known = storedRequestForCodes { return known }
        let request = UUID.random()
        try store(Data(request.uuidString.utf8), in: Self.codesRequest)
        return request
    }

    /// Removes the id, unless another command has stored a newer one.
    func forget(requestForCodes request: UUID) {
        guard storedRequestForCodes == request else { return }
        try? FileManager.default.removeItem(atPath: path(Self.codesRequest))
    }

    private var storedRequestForCodes: UUID? {
        FileManager.default.contents(atPath: path(Self.codesRequest)).flatMap {
            UUID(uuidString: String(decoding: $0, as: UTF8.self))
        }
    }

    // MARK: A sign-in without an answer

    private struct UnansweredSignIn: Codable {
        var key: UUID
        var at: Date
    }

    private static let signInRequest = "sign-in.request"

    /// Seconds. How long the server answers a repeated sign-in with the same session.
    private static let repeatedFor: TimeInterval = 900

    /// Returns the idempotency key for a sign-in, and stores it. The key stays until a sign-in has
    /// succeeded. If an answer is lost, the server answers the same code and key with the same
    /// session.
    func keyForSignIn(at now: Date = Date()) -> UUID {
        let stored = FileManager.default.contents(atPath: path(Self.signInRequest))
            .flatMap { try? JSONDecoder().decode(UnansweredSignIn.self, from: $0) }
        let recent = stored.flatMap {
            abs(now.timeIntervalSince($0.at)) < Self.repeatedFor ? $0.key : nil
        }
        let key = recent ?? UUID.random()
        // Without the file, the sign-in still works.
        try? store(
            try? JSONEncoder().encode(UnansweredSignIn(key: key, at: now)), in: Self.signInRequest)
        return key
    }

    /// Removes the key after a sign-in.
    func forgetKeyForSignIn() {
        try? FileManager.default.removeItem(atPath: path(Self.signInRequest))
    }

    // MARK: Leaving

    /// Removes the local copy after the session has ended. The queue stays.
    func removeCopy() { remove { $0.hasPrefix("copy.sqlite") } }

    /// The user whose session is stored here; nil while signed out.
    var user: UserID? { (try? tokens.load())?.userID }

    /// Removes everything of the user after they have signed out, except two files. Another command
    /// may hold the lock. By the device's random key, the server recognises the device at the next
    /// sign-in. The queues of other people stay, because they may hold unsent calls for help.
    /// - Parameter user: whose queue is removed, too; nil for none.
    func removeAll(of user: UserID?) {
        let kept = ["session.json.lock", "session.json.device"]
        let queue = user.map { "queue-\($0)." }
        remove { name in
            if let queue, name.hasPrefix(queue) { return true }
            return !kept.contains(name)
                && (name.hasPrefix("copy.sqlite") || name.hasPrefix("session.json")
                    || name.hasPrefix(Self.settings) || name.hasPrefix(Self.codesRequest)
                    || name.hasPrefix(Self.signInRequest))
        }
    }

    private func remove(where isOurs: (String) -> Bool) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where isOurs(name) {
            try? FileManager.default.removeItem(atPath: path(name))
        }
    }

    private static func failure(_ message: String, _ suggestion: String) -> CommandFailure {
        CommandFailure(
            .failed, "storage", title: "LifeSignal's folder can't be used", message, suggestion)
    }
}
