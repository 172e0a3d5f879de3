import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct HomeTests {
    private func folder() -> URL {
        FileManager.default.temporaryDirectory.appending(
            path: "home-\(UUID())", directoryHint: .isDirectory)
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func optionThenVariablesThenDefaultLocateTheHome() {
        let all = ["LIFESIGNAL_HOME": "/b", "XDG_CONFIG_HOME": "/c", "HOME": "/d"]
        #expect(Home.folder(option: "/a", environment: all).path == "/a")
        #expect(Home.folder(option: nil, environment: all).path == "/b")
        #expect(
            Home.folder(option: nil, environment: ["XDG_CONFIG_HOME": "/c", "HOME": "/d"]).path
                == "/c/lifesignal")
        #expect(
            Home.folder(option: nil, environment: ["XDG_CONFIG_HOME": "relative", "HOME": "/d"])
                .path == "/d/.config/lifesignal")
        #expect(
            Home.folder(option: "", environment: ["LIFESIGNAL_HOME": "", "HOME": "/d"]).path
                == "/d/.config/lifesignal")
    }

    @Test(arguments: [
        ("http://localhost:8080", "http://localhost:8080"),
        ("HTTPS://example.org/", "https://example.org"), ("http://[::1]:80", "http://[::1]:80"),
        ("https://example.org/lifesignal", "https://example.org/lifesignal"),
        ("https://example.org:8443/x/y/", "https://example.org:8443/x/y"),
    ]) func serverURLIsNormalised(text: String, url: String) throws {
        #expect(try Home.server(text).absoluteString == url)
    }

    @Test(arguments: [
        "", "localhost:8080", "ftp://example.org", "https://", "https://example.org/settings",
        "https://example.org//", "https://example.org/a%20b", "https://example.org/a?b",
        "https://me:secret@example.org", "https://example.org?a",
    ])
    func invalidServerURLIsRejected(text: String) {
        #expect(throws: CommandFailure.self) { try Home.server(text) }
    }

    @Test func onlyPlainHTTPToAnotherMachineIsInsecure() throws {
        for (text, isOpen) in [
            ("http://localhost:1", false), ("http://127.0.0.1", false), ("https://a.org", false),
            ("http://a.org", true),
        ] {
            #expect(Home.isOpenToListeners(try Home.server(text)) == isOpen, "\(text)")
        }
    }

    @Test func homeIsReadableOnlyByItsUser() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        #expect(try permissions(home.folder.path) == 0o700)
    }

    @Test func homeWritableByOthersIsRejected() throws {
        let folder = folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(chmod(folder.path, 0o770) == 0)
        let failure = #expect(throws: CommandFailure.self) { try Home(folder) }
        #expect(failure?.status == .failed)
        #expect(failure?.error.recoverySuggestion.contains("chmod 700") == true)
        #expect(chmod(folder.path, 0o755) == 0)
        _ = try Home(folder)
    }

    @Test func sessionReadableByOthersIsReported() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        #expect(
            FileManager.default.createFile(
                atPath: home.path("session.json"), contents: Data("{}".utf8),
                attributes: [.posixPermissions: 0o644]))
        let failure = #expect(throws: CommandFailure.self) { try home.isSignedIn() }
        #expect(
            failure?.status == .failed && failure?.error.message.contains("session.json") == true)
    }

    @Test func lockIsExclusiveAndShowsWaiters() async throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        let first = try await HomeLock.acquire(home)
        #expect(!first.isWanted)
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await HomeLock.acquire(home, patience: .milliseconds(50))
        }
        #expect(failure?.status == .busy)
        let waiter = Task { try await HomeLock.acquire(home) }
        while !first.isWanted { await Task.yield() }
        first.release()
        let second = try await waiter.value
        #expect(!second.isWanted, "who has had their turn waits no more")
        second.release()
        try await first.retake()
    }

    @Test func callForHelpWorksBesideAStoppedProcess() async throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        let stopped = try await HomeLock.acquire(home)
        let beside = try await HomeLock.acquireOrShare(home, after: .milliseconds(50))
        #expect(beside == nil)
        #expect(!stopped.isWanted, "a command that works waits no more")
        stopped.release()
        let free = try await HomeLock.acquireOrShare(home, after: .milliseconds(50))
        #expect(free != nil)
        free?.release()
    }

    @Test func callForHelpWorksWithoutALock() async throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        // Neither this user nor root can open a folder for writing.
        try FileManager.default.createDirectory(
            atPath: home.path(".home.lock"), withIntermediateDirectories: true)
        #expect(try await HomeLock.acquireOrShare(home, after: .seconds(5)) == nil)
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await HomeLock.acquireOrShare(home, after: nil)
        }
        #expect(failure?.status == .failed)
    }

    @Test func onlyUrgentCommandsShareAHome() {
        for wait in [Alert.Start().sharesHomeAfter, Alert.Stop().sharesHomeAfter] {
            #expect(wait == .seconds(5))
        }
        for wait in [CheckIn().sharesHomeAfter, JourneyCommand.Arrive().sharesHomeAfter] {
            #expect(wait == HomeLock.patience)
        }
        #expect(Status().sharesHomeAfter == nil)
    }

    /// The server answers a repeated request for recovery codes with the same codes.
    @Test func requestForCodesStaysUntilTheyArePrinted() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        let first = try home.requestForCodes()
        #expect(try home.requestForCodes() == first)
        home.forget(requestForCodes: UUID())
        #expect(try home.requestForCodes() == first)
        home.forget(requestForCodes: first)
        let second = try home.requestForCodes()
        #expect(second != first)
        home.forget(requestForCodes: first)
        #expect(try home.requestForCodes() == second)
    }

    @Test func damagedRequestForCodesIsReplaced() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        try Data("no id".utf8).write(
            to: URL(fileURLWithPath: home.path("recovery-codes.request")))
        let request = try home.requestForCodes()
        #expect(try home.requestForCodes() == request)
    }

    /// The server answers a repeated sign-in with the same session until its access token expires.
    @Test func keyForSignInStaysUntilItSucceeds() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let first = home.keyForSignIn(at: now)
        #expect(home.keyForSignIn(at: now.addingTimeInterval(899)) == first)
        #expect(try permissions(home.path("sign-in.request")) == 0o600)
        home.forgetKeyForSignIn()
        let second = home.keyForSignIn(at: now)
        #expect(second != first)
        #expect(home.keyForSignIn(at: now.addingTimeInterval(900)) != second)
        try Data("no key".utf8).write(to: URL(fileURLWithPath: home.path("sign-in.request")))
        let third = home.keyForSignIn(at: now)
        #expect(home.keyForSignIn(at: now) == third)
    }

    /// Another person may have an unsent call for help in the same home.
    @Test(arguments: [true, false])
    func signOutRemovesEverythingButLocksAndOtherQueues(removesQueue: Bool) throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        let own = ["queue-\(Examples.me).sqlite", "queue-\(Examples.me).sqlite.damaged-wal"]
        let others = ["queue-\(UserID(UUID())).sqlite", "queue-a.sqlite"]
        let names =
            own + others + [
                "copy.sqlite", "copy.sqlite-wal", "session.json", "settings.json",
                "settings.json.new", ".home.lock", "session.json.lock", "other",
                "recovery-codes.request", "sign-in.request",
            ]
        for name in names {
            #expect(FileManager.default.createFile(atPath: home.path(name), contents: Data()))
        }
        home.removeAll(of: removesQueue ? Examples.me : nil)
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: home.folder.path))
                == Set(
                    [".home.lock", "session.json.lock", "other"] + others
                        + (removesQueue ? [] : own)))
    }

    @Test(arguments: [(true, false), (false, true)])
    func onlyAnEndedSessionRemovesTheCopy(hasEnded: Bool, keepsCopy: Bool) async throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        #expect(FileManager.default.createFile(atPath: home.path("copy.sqlite"), contents: Data()))
        let failure: CommandFailure =
            hasEnded ? .notSignedIn : CommandFailure(.unreachable, "unreachable", title: "", "")
        let after = await home.afterFailure(failure) as? CommandFailure
        #expect(after == failure)
        #expect(FileManager.default.fileExists(atPath: home.path("copy.sqlite")) == keepsCopy)
    }

    private func storeSession(in home: Home) {
        let session = """
            {"accessToken": "a", "refreshToken": "r", "userID": "\(Examples.me)", \
            "sessionID": "\(SessionID(UUID()))"}
            """
        #expect(
            FileManager.default.createFile(
                atPath: home.path("session.json"), contents: Data(session.utf8),
                attributes: [.posixPermissions: 0o600]))
    }

    @Test func storedSessionNamesItsUser() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        #expect(home.user == nil)
        storeSession(in: home)
        #expect(home.user == Examples.me)
    }

    @Test func serverIsKeptForItsUserOnly() throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        for text in ["https://a.example.org", "https://b.example.org/x"] {
            try home.keep(server: try Home.server(text))
            #expect(try home.server().absoluteString == text)
        }
        #expect(try permissions(home.path("settings.json")) == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.folder.path) == [
                "settings.json"
            ])
    }

    /// The server gets the tokens of the session.
    @Test(arguments: [nil, "", "{", "{}", #"{"server": "ftp://example.org"}"#] as [String?])
    func unreadableSettingsNameNoServer(settings: String?) throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        try home.make()
        if let settings {
            try Data(settings.utf8).write(to: URL(fileURLWithPath: home.path("settings.json")))
        }
        let failure = #expect(throws: CommandFailure.self) { try home.server() }
        #expect(failure?.status == .failed)
        #expect(failure?.error.message.contains("settings.json can't be read") == true)
        #expect(failure?.error.recoverySuggestion.contains(#"{"server": "#) == true)
    }

    /// Another sign-in may succeed while this one waits for its code or for the lock.
    @Test func signInKeepsTheServerOfANewerSession() async throws {
        let home = try Home(folder())
        defer { try? FileManager.default.removeItem(at: home.folder) }
        let (first, second) = (
            try Home.server("https://a.example.org"), try Home.server("https://b.example.org")
        )
        try await SignIn.lock(home, for: first).release()
        storeSession(in: home)
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await SignIn.lock(home, for: second)
        }
        #expect(failure?.error.code == "already-signed-in")
        #expect(try home.server() == first)
        try await HomeLock.acquire(home, patience: .milliseconds(50)).release()
    }
}
