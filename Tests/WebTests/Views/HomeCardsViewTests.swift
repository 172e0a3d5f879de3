import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Cards of Home, on a page")
struct HomeCardsViewTests {
    private func contact(
        _ name: String = "Ben", isResponder: Bool = false, requests: [RoleRequest] = [],
        asks: Bool = false
    ) -> ContactData {
        ContactData(
            id: Sample.id(2), name: name, phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: isResponder, isDependent: false), dateAdded: Sample.now,
            hasPendingPing: asks, pingedAt: nil, watch: nil, requests: requests)
    }

    private func request(_ role: ContactRole, isMine: Bool = false) -> RoleRequest {
        RoleRequest(role: role, isMine: isMine, requestedAt: Sample.now)
    }

    private func home(_ contact: ContactData?, checkIn: CheckInFeature.State = .init()) -> Screen<
        HomeFeature.Action
    > {
        screen {
            HomeFeature.view(
                .init(checkIn: checkIn, cards: .init(contacts: contact.map { [$0] } ?? [])))
        }
    }

    @Test func homeAnswersRequestToHelp() throws {
        let page = home(contact(requests: [request(.dependent)]))
        #expect(page.shows("Ben asked you to help. You’ll be told if they miss a check-in."))
        #expect(
            try page.press("Accept: you watch over Ben")
                == .cards(.acceptButtonTapped(Sample.id(2), .dependent)))
        #expect(
            try page.press("Decline: you watch over Ben")
                == .cards(.declineButtonTapped(Sample.id(2), .dependent)))
    }

    @Test func homeAnswersOfferToHelp() throws {
        let page = home(contact(requests: [request(.responder)]))
        #expect(page.shows("Ben wants to be your responder."))
        #expect(
            try page.press("Accept Ben as your responder")
                == .cards(.acceptButtonTapped(Sample.id(2), .responder)))
    }

    @Test func homeAnswersPing() throws {
        let page = home(contact(isResponder: true, asks: true))
        #expect(page.shows("Ben asks: are you OK?"))
        #expect(
            try page.press("I’m OK: answer Ben") == .cards(.answerPingButtonTapped(Sample.id(2))))
    }

    @Test func homeDistinguishesNoResponderFromPending() throws {
        let checkIn = CheckInFeature.State(
            lastCheckInTime: Sample.now, nextCheckInTime: Sample.now.adding(.hours(5)))
        let nobody = home(nil, checkIn: checkIn)
        #expect(nobody.shows("No one is watching over you. Add someone."))
        #expect(!nobody.shows("All is well") && nobody.shows("Checked in"))
        #expect(try nobody.press("Add someone") == .cards(.addResponderButtonTapped))
        let asked = home(contact(requests: [request(.responder, isMine: true)]), checkIn: checkIn)
        #expect(asked.shows("No one has accepted yet") && asked.shows("You asked Ben."))
        #expect(!asked.shows("All is well") && !asked.shows("No one is watching"))
        for (reachability, isWell) in [
            (.unreachable(), false), (.notProven, false), (nil, false),
            (.proven(by: .sms, on: Sample.now), true),
        ] as [(Reachability?, Bool)] {
            var ben = contact(isResponder: true)
            ben.reachability = reachability
            #expect(home(ben, checkIn: checkIn).shows("All is well") == isWell)
        }
        // The page says nothing about the contacts until they are known.
        var unknown = HomeFeature.State(checkIn: checkIn)
        unknown.cards.contacts = nil
        let page = screen { HomeFeature.view(unknown) }
        #expect(page.shows("Checked in") && !page.shows("All is well"))
    }

    @Test func unreachableResponderIsNotWell() {
        let checkIn = CheckInFeature.State(
            lastCheckInTime: Sample.now, nextCheckInTime: Sample.now.adding(.hours(5)))
        func page(_ others: ContactData...) -> Screen<HomeFeature.Action> {
            var ben = contact(isResponder: true)
            ben.reachability = .proven(by: .webPush, on: Sample.now)
            let all = others.enumerated().map { number, other in
                var other = other
                other.id = Sample.id(UInt8(3 + number))
                return other
            }
            let contacts = IdentifiedArray(uniqueElements: [ben] + all)
            return screen {
                HomeFeature.view(.init(checkIn: checkIn, cards: .init(contacts: contacts)))
            }
        }
        #expect(page().shows("All is well"))
        var dan = contact("Dan", isResponder: true)
        dan.reachability = .unreachable()
        #expect(!page(dan).shows("All is well") && page(dan).shows("Dan may not hear you"))
        let asked = contact("Eve", requests: [request(.responder, isMine: true)])
        #expect(!page(asked).shows("All is well") && page(asked).shows("Checked in"))
        var silent = contact("Fay", isResponder: true)
        silent.reachability = .notProven
        #expect(page(silent).shows("All is well"))
    }

    @Test func warnsWhenNoDeliveryIsProven() {
        func page(_ reachability: Reachability?) -> Screen<HomeFeature.Action> {
            var ben = contact(isResponder: true)
            ben.reachability = reachability
            return home(ben)
        }
        let silent = page(.notProven)
        #expect(silent.shows("Would anyone hear you?"))
        #expect(silent.shows("No message to Ben was confirmed in the last 30 days."))
        let lost = page(.unreachable())
        #expect(lost.shows("Your responders may not hear you"))
        for reachability in [.proven(by: .webPush, on: Sample.now), nil] as [Reachability?] {
            #expect(!page(reachability).shows("hear you"))
        }
    }

    @Test func homeIsSilentUntilContactsAreKnown() {
        let page = screen { HomeFeature.view(.init()) }
        #expect(!page.shows("No one is watching over you"))
    }

    @Test func missedDeadlinePutsCheckInFirst() throws {
        var late = CheckInFeature.State(
            lastCheckInTime: Sample.ago(.hours(25)), nextCheckInTime: Sample.ago(.hours(1)))
        late.now = Sample.now
        let page = home(nil, checkIn: late)
        #expect(page.buttons.first { $0 != "Your code" } == "Press to tell everyone you’re OK")
        #expect(
            try page.press("Press to tell everyone you’re OK") == .checkIn(.checkInButtonTapped))
        let early = home(nil, checkIn: .init(nextCheckInTime: Sample.now.adding(.seconds(1))))
        #expect(early.buttons.contains("Check in"))
    }

    @Test func namesAreListedAndEscaped() {
        #expect(listed(["A"]) == "A" && listed(["A", "B"]) == "A and B")
        #expect(
            listed(["A", "B", "C"]) == "A, B and C" && listed(["A", "B"], last: "or") == "A or B")
        #expect(listed(["A", "B", "C", "D"]) == "A, B and 2 others")
        let page = home(contact(Sample.hostile, requests: [request(.dependent)]))
        #expect(!page.markup.contains(Sample.hostile))
        #expect(page.markup.contains(Sample.hostileEscaped))
    }
}
