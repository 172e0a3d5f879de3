import Domain
import Foundation
import Testing

@Suite struct InvitationTests {
    private let noon = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        "Ana", "J. Doe", "Anne-Marie O'Neil", "Zoë", "李小龍", "सीता", "A.",
        String(repeating: "a", count: 40),
    ])
    func aNameHasLetters(name: String) throws {
        #expect(try InvitationRules.name(name) == name)
        #expect(try InvitationRules.sender(name) == name)
    }

    @Test(arguments: [
        "", " ", "Win 1000", "example.com", "a@b", "http://x", "Ana\nBen", "x/y", "---", "$$$",
        "Ana:", String(repeating: "a", count: 41), "a" + String(repeating: "\u{301}", count: 80),
    ])
    func anAdvertisementIsNoName(name: String) {
        #expect(throws: CommandError.self) { try InvitationRules.name(name) }
        #expect(throws: CommandError.self) { try InvitationRules.sender(name) }
    }

    @Test func aStrangerGetsOneMessage() {
        var past = PastInvitations()
        #expect(InvitationRules.mayWrite(after: past, at: noon))
        past.messages = [noon.adding(.zero - .days(3_000))]
        #expect(!InvitationRules.mayWrite(after: past, at: noon))
        past.hasAgreed = true
        #expect(InvitationRules.mayWrite(after: past, at: noon))
        past.hasWrittenBefore = true
        #expect(!InvitationRules.mayWrite(after: past, at: noon))
        past.hasWrittenBefore = false
        past.isBlocked = true
        #expect(!InvitationRules.mayWrite(after: past, at: noon))
    }

    @Test func aNumberGetsThreeADay() {
        var past = PastInvitations()
        past.hasAgreed = true
        past.messages = [noon, noon]
        #expect(InvitationRules.mayWrite(after: past, at: noon))
        past.messages = [noon, noon, noon]
        let end = noon.adding(.days(1))
        #expect(!InvitationRules.mayWrite(after: past, at: end.adding(.milliseconds(-1))))
        #expect(InvitationRules.mayWrite(after: past, at: end))
    }

    @Test func aUserInvitesTenADay() {
        let nine = Array(repeating: noon, count: 9)
        #expect(InvitationRules.wait(after: nine, at: noon) == nil)
        #expect(InvitationRules.wait(after: nine + [noon], at: noon) == .days(1))
    }

    @Test func aYesCountsFor30Days() {
        let end = noon.adding(.days(30))
        #expect(InvitationRules.canBeAccepted(since: noon, at: end.adding(.milliseconds(-1))))
        #expect(!InvitationRules.canBeAccepted(since: noon, at: end))
    }
}
