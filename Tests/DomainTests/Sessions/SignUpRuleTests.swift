import Foundation
import Testing

@testable import Domain

private let secret = String(repeating: "aB-_9", count: 8) + "xyz"

@Suite struct SignUpRuleTests {
    private let noon = Date(milliseconds: 1_772_366_400_000)

    private func token(used: Int = 0, revokedAt: Date? = nil) -> SignUpToken {
        SignUpToken(
            id: SignUpTokenID(UUID()), note: "", uses: 2, used: used, createdAt: noon,
            expiresAt: noon.adding(.days(7)), revokedAt: revokedAt)
    }

    @Test func tokenEndsByUsesTimeAndRevocation() {
        let end = noon.adding(.days(7))
        #expect(token(used: 1).state(at: noon) == .usable)
        #expect(token(used: 2).state(at: noon) == .usedUp)
        #expect(token().state(at: end.adding(.milliseconds(-1))) == .usable)
        #expect(token().state(at: end) == .expired)
        #expect(token(used: 2, revokedAt: noon).state(at: end) == .revoked)
    }

    @Test func linkContainsTheSecret() throws {
        let server = try #require(URL(string: "https://lifesignal.example"))
        let link = SignUpRules.link(for: secret, server: server)
        #expect(link.absoluteString == "https://lifesignal.example/join/\(secret)")
        #expect(SignUpRules.secret(in: link.absoluteString) == secret)
        #expect(SignUpRules.secret(in: " \(secret)\n") == secret)
        let below = try #require(URL(string: "https://lifesignal.example/people"))
        let other = SignUpRules.link(for: secret, server: below)
        #expect(other.absoluteString == "https://lifesignal.example/people/join/\(secret)")
        #expect(SignUpRules.secret(in: other.absoluteString) == secret)
        #expect(SignUpRules.isLink(other))
    }

    @Test(arguments: [
        "", "join", "https://lifesignal.example/join/short", "https://lifesignal.example/join/",
        "ftp://lifesignal.example/join/\(secret)", "https://lifesignal.example/add/\(secret)",
        "https://lifesignal.example/join/\(secret)/more", String(repeating: "é", count: 43),
        "\(secret)x",
    ])
    func otherTextIsNoToken(text: String) {
        #expect(SignUpRules.secret(in: text) == nil)
    }

    @Test(arguments: [(100, true), (101, false)])
    func noteHasALimit(length: Int, isTaken: Bool) {
        let note = try? SignUpRules.note(String(repeating: "n", count: length))
        #expect((note != nil) == isTaken)
    }

    @Test func noteHasOneLine() {
        #expect(throws: CommandError.self) { try SignUpRules.note("one\ntwo") }
    }

    @Test func eachRefusalHasWords() {
        let reasons: [InvalidInputReason] = [
            .noCodes, .tokenNeeded, .signUpClosed, .tokenUnknown, .tokenUsedUp, .tokenExpired,
            .tokenRevoked, .tokenOtherNumber,
        ]
        #expect(Set(RefusalWords.signUp.keys) == Set(reasons))
        #expect(Set(RefusalWords.signUp.values.map(\.message)).count == reasons.count)
    }

    @Test func countriesOfOneCodeAreToldApart() throws {
        let (jamaica, states) = (
            CallingCode.all(of: try #require(PhoneCountry("JM"))),
            CallingCode.all(of: try #require(PhoneCountry("US")))
        )
        let (kingston, boston) = (
            CallingCode(of: try PhoneNumber("+18765550100")),
            CallingCode(of: try PhoneNumber("+16175550100"))
        )
        #expect(jamaica.contains(kingston) && !jamaica.contains(boston))
        #expect(states.contains(boston) && !states.contains(kingston))
    }

    @Test func prefixesLeaveOutOtherCountries() throws {
        let boston = CallingCode(of: try PhoneNumber("+16175550100")).prefixes
        #expect(boston.contains { $0.contains(1617) })
        #expect(!boston.contains { $0.contains(1876) } && !boston.contains { $0.contains(2000) })
        #expect(CallingCode(of: try PhoneNumber("+493020000001")).prefixes == [4900..<5000])
        #expect(CallingCode(of: try PhoneNumber("+18765550100")).prefixes == [1876..<1877])
        #expect(CallingCode(of: try PhoneNumber("+35315550100")).prefixes == [3530..<3540])
    }
}
