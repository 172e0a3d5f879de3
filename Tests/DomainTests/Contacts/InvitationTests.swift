import Domain
import Foundation
import Testing

@Suite struct InvitationTests {
    private let noon = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        "Ana", "J. Doe", "Anne-Marie O'Neil", "Zoë", "李小龍", "सीता", "A.",
        String(repeating: "a", count: 40), "J.R. Ewing", "J.R.R. Tolkien", "J.-P. Sartre", "U.S.",
        "Pau Gal\u{B7}lès".replacing("l\u{B7}lès", with: "l\u{B7}la"), "ジョン・スミス",
        "علی\u{200C}رضا", "ශ්\u{200D}රී", "क्\u{200D}ष", "ג\u{5F3}ורג", "צה\u{5F4}ל",
        "O\u{2019}Neil", "O\u{2018}Neil", "O\u{B4}Neil", "O\u{2BC}Neil", "Anna\u{2013}Lena",
        "Anna\u{2010}Lena",
    ])
    func aNameHasLetters(name: String) throws {
        #expect(try InvitationRules.name(name) == name)
        #expect(try InvitationRules.sender(name) == name)
    }

    @Test(arguments: [
        "", " ", "Win 1000", "example.com", "a@b", "http://x", "Ana\nBen", "x/y", "---", "$$$",
        "j.example", "t.co", "J.R", "www.a.b.example", "J.R.Ewing", "Ana\u{200D}Ben",
        "Ana\u{200C}Ben", "a\u{B7}b", "・", "\u{5F3}", "\u{3164}", "Ana\u{3164}",
        "Ana\u{E0041}", "Ana\u{AD}", "علی\u{200C}",
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

    @Test func nextHolderGetsAMessageUnlessTheNumberSentSTOP() {
        var past = PastInvitations()
        past.formerMessages = [noon, noon]
        #expect(InvitationRules.mayWrite(after: past, at: noon))
        past.isStopped = true
        #expect(!InvitationRules.mayWrite(after: past, at: noon))
        past.isStopped = false
        past.formerMessages = [noon, noon, noon]
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

    @Test func aStopIsUndoneForADayAndThreeTimesADay() {
        #expect(InvitationRules.timeToUndo == .days(1) && InvitationRules.undosPerDay == 3)
        #expect(InvitationRules.urgentStopsPerDay == 4)
        #expect(InvitationRules.limit == 20)
    }

    @Test func aYesCountsFor30Days() {
        let end = noon.adding(.days(30))
        #expect(InvitationRules.canBeAccepted(since: noon, at: end.adding(.milliseconds(-1))))
        #expect(!InvitationRules.canBeAccepted(since: noon, at: end))
    }
}
