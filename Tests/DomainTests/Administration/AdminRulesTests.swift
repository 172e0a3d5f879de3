import Foundation
import Testing

@testable import Domain

@Suite struct AdminRulesTests {
    @Test func reasonIsTrimmedAndBounded() throws {
        #expect(try AdminRules.reason("  Spam ") == "Spam")
        #expect(try AdminRules.reason(String(repeating: "a", count: 300)).count == 300)
        for reason in ["", "\u{200B}", "a\nb", String(repeating: "a", count: 301)] {
            #expect(throws: CommandError.self) { try AdminRules.reason(reason) }
        }
    }

    @Test func announcementIsOneShortLine() throws {
        #expect(try AdminRules.announcement(" Hello ") == "Hello")
        #expect(try AdminRules.announcement(String(repeating: "ü", count: 500)).count == 500)
        let tooLarge = String(repeating: "👩🏽‍🚒", count: 500)
        for text in ["", "a\nb", String(repeating: "a", count: 501), tooLarge] {
            #expect(throws: CommandError.self) { try AdminRules.announcement(text) }
        }
    }

    @Test func maintenanceHasAnEndAndLimits() throws {
        let now = Date(milliseconds: 1_772_366_400_000)
        func check(_ from: Duration, _ until: Duration) throws {
            try AdminRules.check(
                Maintenance(from: now.adding(from), until: now.adding(until)), at: now)
        }
        try check(.zero, .milliseconds(1))
        try check(.hours(-1), .hours(1))
        try check(.days(90), .days(97))
        let wrong: [(Duration, Duration)] = [
            (.zero, .zero), (.hours(-2), .zero), (.hours(2), .hours(1)),
            (.zero, .milliseconds(7 * 86_400_000 + 1)),
            (.milliseconds(90 * 86_400_000 + 1), .days(91)),
        ]
        for (from, until) in wrong {
            #expect(throws: CommandError.self) { try check(from, until) }
        }
    }

    @Test func nameIsFoundFromEachOfItsWords() {
        let entries = NameSearch.entries(of: " Éva  Müller ")
        #expect(entries == [Data("eva muller".utf8), Data("muller".utf8)])
        #expect(NameSearch.entries(of: "").isEmpty)
        #expect(NameSearch.entries(of: String(repeating: "a ", count: 50)).count <= 8)
    }

    @Test func longNameIsFoundByAllOfIt() {
        let name = String(repeating: "a", count: 100)
        #expect(NameSearch.prefix(name).count == 80)
        #expect(NameSearch.entries(of: name) == [NameSearch.prefix(name)])
    }

    @Test func prefixIsFoldedLikeTheEntries() {
        for text in ["ÉVA MÜ", "eva  mu", "Eva mü"] {
            #expect(NameSearch.prefix(text) == Data("eva mu".utf8))
        }
    }

    @Test func requestsSurviveTheSocket() throws {
        let requests: [AdminRequest] = [
            .people(search: nil, after: nil, limit: 50), .person(number: "+15550100"),
            .stuck(after: nil), .alert(id: "1"), .log(number: nil, limit: 10),
            .lock(number: "1", reason: "a"), .unlock(number: "1", reason: "a"),
            .delete(number: "1", reason: "a"),
            .announce(
                text: "a",
                maintenance: Maintenance(
                    from: Date(milliseconds: 1_772_366_400_000),
                    until: Date(milliseconds: 1_772_366_401_000)), reason: "b"),
            .test(channel: .sms, to: "1", reason: "a"), .move(number: "1", to: "2", reason: "a"),
            .rotateKey(from: .min, to: Data([0, 255]), reason: "a"),
            .rotateKey(from: .max, to: Data(), reason: "a"), .forgetKeys(reason: "a"),
            .formerKeys, .health,
        ]
        for request in requests {
            let bytes = try WireJSON.encoder().encode(request)
            #expect(try WireJSON.decoder().decode(AdminRequest.self, from: bytes) == request)
        }
    }
}
