import Domain
import Foundation
import Testing

/// Tests whether an alert would reach a person whose pages are closed.
@Suite struct ReachabilityTests {
    private let now = Date(milliseconds: 1_780_000_000_000)

    /// Returns what a client decodes for a state that only newer servers know.
    private func unknown() throws -> Reachability {
        try WireJSON.tolerantDecoder().decode(
            Reachability.self, from: Data(#"{"state":"later"}"#.utf8))
    }

    private func ago(_ duration: Duration) -> Date { now.adding(.zero - duration) }

    private func reachability(_ ways: ReachabilityEvidence...) -> Reachability {
        ReachabilityRules.reachability(by: ways, at: now)
    }

    @Test func proofHolds30DaysAndRevealsOnlyTheDay() {
        let last = ago(.days(30)).adding(.milliseconds(1))
        let proven = reachability(.init(.webPush, provenAt: last))
        #expect(proven.state == .proven && proven.channel == .webPush)
        #expect(proven.provenOn.map { $0.milliseconds % 86_400_000 } == 0)
        #expect(
            proven.provenOn.map { (0..<86_400_000).contains(last.since($0).milliseconds) } == true)
        #expect(reachability(.init(.webPush, provenAt: ago(.days(30)))) == .notProven)
        #expect(reachability(.init(.webPush)) == .notProven)
    }

    @Test func theNewestProofOfAWorkingChannelCounts() {
        let webhook = ReachabilityEvidence(.webhook, provenAt: ago(.days(9)))
        let browser = ReachabilityEvidence(.webPush, provenAt: ago(.days(2)))
        #expect(reachability(webhook, browser).channel == .webPush)
        var dead = browser
        dead.failingSince = ago(.hours(1))
        #expect(reachability(webhook, dead).channel == .webhook)
        dead.failingSince = ago(.hours(1)).adding(.milliseconds(1))
        #expect(reachability(webhook, dead).channel == .webPush)
    }

    @Test func noOrFailingChannelsAreUnreachable() {
        #expect(reachability() == .unreachable())
        let (first, second) = (ago(.days(3)), ago(.days(1)))
        #expect(
            reachability(
                .init(.webhook, provenAt: now, failingSince: first),
                .init(.webPush, failingSince: second)) == .unreachable(since: second))
        #expect(
            reachability(.init(.sms), .init(.webPush, failingSince: first)) == .notProven)
    }

    @Test func textNamesTheEvidence() throws {
        let day = Date(milliseconds: 1_763_683_200_000)
        #expect(
            Reachability.proven(by: .webPush, on: day).words
                == "Reached by a notification of their browser on 21 November")
        #expect(Reachability.notProven.words?.hasPrefix("Not yet proven") == true)
        #expect(Reachability.unreachable().words?.hasSuffix("notifications are off") == true)
        #expect(
            Reachability.unreachable(since: day).words?.hasSuffix("failed since 21 November")
                == true)
        #expect(try unknown().words == nil)
    }

    // MARK: The user's audience

    private func responder(_ name: String, _ reachability: Reachability?) throws -> ContactData {
        try contact(name, isResponder: true, reachability)
    }

    private func contact(
        _ name: String, isResponder: Bool, _ reachability: Reachability?
    ) throws -> ContactData {
        ContactData(
            id: UserID(UUID()), name: name, phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: isResponder, isDependent: !isResponder), dateAdded: now,
            hasPendingPing: false, pingedAt: nil, watch: nil, reachability: reachability)
    }

    @Test func oneProvenResponderIsEnough() throws {
        let proven = try responder("Ben", .proven(by: .webPush, on: now))
        let silent = try responder("Cleo", .notProven)
        let lost = try responder("Dan", .unreachable())
        #expect(Audience(of: [proven, silent]) == .proven)
        #expect(Audience(of: [proven, silent, lost]) == .partly(unreachable: ["Dan"]))
        #expect(
            Audience(of: [try responder("Eve", nil), lost]) == .partly(unreachable: ["Dan"]))
        #expect(Audience(of: [silent, lost]) == .unproven(names: ["Cleo", "Dan"]))
        #expect(Audience(of: [lost]) == .unreachable(names: ["Dan"]))
    }

    @Test func unknownReachabilityShowsNothing() throws {
        #expect(Audience(of: []) == .proven)
        #expect(Audience(of: [try responder("Ben", nil)]) == .proven)
        #expect(Audience(of: [try responder("Ben", unknown())]) == .proven)
        let dependent = try contact("Eva", isResponder: false, .unreachable())
        #expect(dependent.reachability == nil && Audience(of: [dependent]) == .proven)
    }

    @Test func formerResponderHasNoReachability() throws {
        var contact = try responder("Ben", .notProven)
        contact.relation = Relation(agreed: .shown(isResponder: false, isDependent: true), at: now)
        #expect(contact.reachability == nil)
    }
}
