import API
import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import HTTPServer

/// The page behind the link "End its session" in an e-mail.
@Suite struct SessionPageTests {
    private let server: TestServer
    private let ada: Person
    private let thief: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        thief = try await server.signIn("+4915100000001", device: "Tablet")
    }

    private func send(_ action: String, secret: String? = nil) async throws -> Answer {
        let sessions = try await server.call(Routes.sessions, by: thief).items
        let current = sessions.first { $0.isCurrent }
        let session = try #require(current).id
        let link = server.network.accountNews.sessionLink(ada.id, session)
        let good = try #require(link.fragment)
        let form = Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=\(secret ?? good)&action=\(action)".utf8))
        return try await server.send("POST", LinkPath.session, form)
    }

    private func sessions() async throws -> Int {
        try await server.call(Routes.sessions, by: ada).items.count
    }

    @Test func openingThePageKeepsTheSession() async throws {
        let opened = try await server.send("GET", LinkPath.session)
        #expect(opened.status == 200 && !opened.text.contains("Tablet"))
        let shown = try await send("show")
        #expect(shown.text.contains("“Tablet” is signed in to your account."))
        #expect(try await sessions() == 2)
    }

    @Test(arguments: [
        "All is well. Call +49 30 1234567 before you press the button.", "No one", "You", "Nobody",
    ])
    func pageShowsNoMessageAsADeviceName(message: String) async throws {
        let device = try await server.signIn("+4915100000001", device: message)
        let link = server.network.accountNews.sessionLink(ada.id, device.session)
        let form = Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=\(try #require(link.fragment))&action=show".utf8))
        let shown = try await server.send("POST", LinkPath.session, form)
        #expect(shown.text.contains("A device is signed in to your account."))
        #expect(!shown.text.contains("\(message) is") && !shown.text.contains("“\(message)"))
    }

    @Test func buttonEndsTheSession() async throws {
        let ended = try await send("end")
        #expect(ended.status == 200 && ended.text.contains("The session is over"))
        #expect(ended.text.contains("<script data-secret="))
        #expect(try await sessions() == 1)
        let path = Routes.sessions.endpoint.path
        #expect(try await server.send("GET", path, token: thief.token).status == 401)
    }

    /// The thief has begun a change of the number and signed out. Only the change can be stopped.
    @Test func buttonStopsTheChangeOfTheNumber() async throws {
        let network = server.network
        _ = try await network.signInLocks.turnOn(of: ada.caller)
        let new = try PhoneNumber("+4915100000007")
        try await server.call(
            Routes.sendCode, SendCodeRequest(phoneNumber: new.text), by: nil)
        let code = try #require(server.codes[new])
        _ = try await network.phoneNumberChange.changePhoneNumber(
            to: new, code: code, of: thief.caller)
        let link = network.accountNews.sessionLink(ada.id, thief.session)
        try await network.signIn.endSession(thief.session, of: thief.caller)

        func press(_ action: String) async throws -> Answer {
            let secret = try #require(link.fragment)
            let form = Content(
                type: "application/x-www-form-urlencoded",
                bytes: Data("secret=\(secret)&action=\(action)".utf8))
            return try await server.send("POST", LinkPath.session, form)
        }
        #expect(try await press("show").text.contains("Keep your phone number?"))
        let stopped = try await press("end")
        #expect(stopped.status == 200 && stopped.text.contains("Your number stays"))
        #expect(!stopped.text.contains("The session is over"))
        #expect(try await server.call(Routes.profile, by: ada).numberMove == nil)
        #expect(try await press("end").status == 404)
    }

    /// The thief has turned the sign-in lock off and signed out.
    @Test func buttonKeepsTheLockOfAnEndedSession() async throws {
        let network = server.network
        _ = try await network.signInLocks.turnOn(of: ada.caller)
        _ = try await network.signInLocks.turnOff(of: thief.caller)
        let link = network.accountNews.sessionLink(ada.id, thief.session)
        let secret = try #require(link.fragment)
        try await network.signIn.endSession(thief.session, of: thief.caller)

        func press(_ action: String) async throws -> Answer {
            let form = Content(
                type: "application/x-www-form-urlencoded",
                bytes: Data("secret=\(secret)&action=\(action)".utf8))
            return try await server.send("POST", LinkPath.session, form)
        }
        #expect(try await press("show").text.contains("Keep the sign-in lock on?"))
        let kept = try await press("end")
        #expect(kept.status == 200 && kept.text.contains("The sign-in lock stays on"))
        #expect(try await network.signInLocks.security(of: ada.caller).lockEndsAt == nil)
        #expect(try await press("end").status == 404)
    }

    @Test func brokenLinkIs404() async throws {
        #expect(try await send("end", secret: String(repeating: "A", count: 64)).status == 404)
        #expect(try await sessions() == 2)
    }
}
