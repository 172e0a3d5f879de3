import Domain
import Foundation
import Testing

@Suite struct RelationTests {
    private let both = ContactRoles.shown(isResponder: true, isDependent: true)
    private let later = noon.adding(.seconds(1))

    @Test func scanMakesAResponderAndRequestsTheRest() {
        let relation = Relation(scannedFor: both, at: noon)
        #expect(relation.dependent == .inForce(since: noon))
        #expect(relation.responder == .requested(isMine: true, at: noon))
        #expect(relation.tellsThem && relation.isConnected)
        #expect(relation.mirrored.responder == .inForce(since: noon))
        #expect(relation.mirrored.dependent == .requested(isMine: false, at: noon))
        #expect(relation.mirrored.mirrored == relation)
    }

    @Test func onlyOwnRequestsTellTheOther() {
        #expect(Relation(responder: .inForce(since: noon)).tellsThem)
        #expect(Relation(responder: .requested(isMine: true, at: noon)).tellsThem)
        #expect(!Relation(responder: .requested(isMine: false, at: noon)).tellsThem)
        #expect(!Relation(dependent: .inForce(since: noon)).tellsThem)
    }

    private static let changes: [(Relation.Consent, Bool, Relation.Consent)] = [
        (.absent, true, .requested(isMine: true, at: noon.adding(.seconds(1)))),
        (.absent, false, .absent),
        (.requested(isMine: true, at: noon), true, .requested(isMine: true, at: noon)),
        (.requested(isMine: true, at: noon), false, .absent),
        (.requested(isMine: false, at: noon), true, .inForce(since: noon.adding(.seconds(1)))),
        (.requested(isMine: false, at: noon), false, .requested(isMine: false, at: noon)),
        (.inForce(since: noon), true, .inForce(since: noon)),
        (.inForce(since: noon), false, .absent),
    ]

    @Test(arguments: changes.indices) func aWishAppliesToEachRole(index: Int) {
        let (consent, wish, result) = Self.changes[index]
        let other = Relation.Consent.inForce(since: noon)
        let responder = Relation(responder: consent, dependent: other)
            .changed(to: .shown(isResponder: wish, isDependent: true), at: later)
        #expect(responder == Relation(responder: result, dependent: other))
        let dependent = Relation(responder: other, dependent: consent)
            .changed(to: .shown(isResponder: true, isDependent: wish), at: later)
        #expect(dependent == Relation(responder: other, dependent: result))
    }

    @Test(arguments: ContactRole.allCases) func onlyTheOtherAnswersARequest(role: ContactRole)
        throws
    {
        var asked = Relation()
        asked[role] = .requested(isMine: true, at: noon)
        let seen = asked.mirrored
        #expect(throws: CommandError.self) { try asked.accepting(role, at: later) }
        #expect(throws: CommandError.self) { try Relation().accepting(role, at: later) }
        let accepted = try seen.accepting(role.mirrored, at: later)
        #expect(accepted[role.mirrored] == .inForce(since: later))
        #expect(try accepted.accepting(role.mirrored, at: noon) == accepted)
        #expect(try seen.withoutRequest(role.mirrored).isEmpty)
        #expect(try asked.withoutRequest(role).isEmpty)
        #expect(throws: CommandError.self) { try accepted.withoutRequest(role.mirrored) }
    }

    @Test func aContactKnowsItsRelation() throws {
        var contact = ContactData(
            id: ben, name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: false, isDependent: true), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: nil,
                checkInIntervalSeconds: 3_600, status: .active),
            requests: [.init(role: .responder, isMine: true, requestedAt: noon)])
        #expect(contact.isWanted(.responder) && !contact.isResponder)
        #expect(contact.isConsidered(.dependent) && contact.showsAlerts)
        contact.relation = contact.relation.mirrored
        #expect(contact.isResponder && !contact.isDependent && contact.watch == nil)
        #expect(contact.requests == [.init(role: .dependent, isMine: false, requestedAt: noon)])
        #expect(!contact.isWanted(.dependent) && contact.isConsidered(.dependent))
        #expect(contact.showsAlerts)
    }

    @Test func protectionIsOrdered() {
        #expect(Protection(hasAccepted: true, hasAsked: true) == .accepted)
        #expect(Protection(hasAccepted: false, hasAsked: true) == .asked)
        #expect(Protection(hasAccepted: false, hasAsked: false) == .nobody)
        #expect(Protection.nobody < .asked && Protection.asked < .accepted)
    }

    private func contact(_ number: UInt8, _ responder: Relation.Consent) -> ContactData {
        var contact = ContactData(
            id: id(number), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: false, isDependent: true), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil, watch: nil)
        contact.relation = Relation(responder: responder, dependent: .inForce(since: noon))
        return contact
    }

    @Test func onlyAcceptedAndAskedRespondersProtect() {
        let (accepted, second) = (
            contact(1, .inForce(since: noon)), contact(2, .inForce(since: noon))
        )
        let asked = contact(3, .requested(isMine: true, at: noon))
        let (asking, dependent) = (
            contact(4, .requested(isMine: false, at: noon)), contact(5, .absent)
        )
        #expect(Protection(of: [asking, dependent]) == .nobody)
        #expect(Protection(of: [asking, asked]) == .asked)
        #expect(Protection(of: [asked, accepted]) == .accepted)
        #expect(Protection.without(accepted, among: [accepted, second]) == .accepted)
        #expect(Protection.without(accepted, among: [accepted, asked]) == .asked)
        #expect(Protection.without(accepted, among: [accepted, dependent]) == .nobody)
        #expect(Protection.without(asked, among: [accepted, asked]) == nil)
    }

    @Test func placeThenAgeThenIdDecideWhoIsCalledFirst() {
        var one = contact(1, .inForce(since: noon))
        var two = contact(2, .inForce(since: noon))
        #expect(one.isCalledBefore(two) && !two.isCalledBefore(one))
        one.dateAdded = later
        #expect(two.isCalledBefore(one) && !one.isCalledBefore(two))
        one.position = 5
        #expect(one.isCalledBefore(two))
        two.position = 4
        #expect(two.isCalledBefore(one) && !one.isCalledBefore(two))
    }
}
