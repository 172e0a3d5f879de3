import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct CapabilityTextTests {
    @Test func serverWithoutSMSRefusesCodes() async throws {
        let test = try PhoneNumber("+15550100")
        let server = try TestServer(options: {
            $0.sendsCodes = false
            $0.testNumbers = [test: "123456"]
        })
        let number = try PhoneNumber("+442071838750")
        let refusal = await refusal {
            try await server.network.codes.requestCode(for: number, from: "192.0.2.1")
        }
        #expect(refusal?.field == "phoneNumber" && refusal?.reason == .noCodes)
        #expect(server.environment.codes(on: number).isEmpty)
        _ = try await server.network.codes.requestCode(for: test, from: "192.0.2.1")
        _ = try await server.network.signIn.signIn(test, code: "123456", deviceName: "Phone")
    }

    @Test(arguments: [true, false])
    func smsOnTheConsoleIsNoSMS(isShownHere: Bool) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.channelsShownHere = isShownHere ? [.sms] : []
        })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        let seen = try await server.alert(alert, seenBy: ada)
        let words = seen.ledger.map(\.words)
        #expect(words.contains { $0.hasPrefix("SMS") } == !isShownHere, "\(words)")
        #expect(words.contains { $0.contains("server’s screen") } == isShownHere, "\(words)")
    }

    @Test(arguments: [true, false])
    func invitationPromisesCallsOnlyIfAvailable(hasVoice: Bool) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = hasVoice
        })
        let ada = try await server.person("Ada")
        let number = try PhoneNumber("+442071838750")
        let invitation = try await server.network.invitations.invite(
            "Mia", .number(number), by: ada.caller)
        let text = try #require(server.environment.texts(on: number).first)
        #expect(text.contains("by SMS and calls when") == hasVoice)
        #expect(text.contains("by SMS when") == !hasVoice)
        let link = server.network.link(.invitation, ada.id.uuid, invitation.id.uuid)
        let secret = try #require(link.fragment)
        let view = try await server.network.invitationAnswers.invitation(by: secret)
        #expect(view?.hasCalls == hasVoice)
    }
}
