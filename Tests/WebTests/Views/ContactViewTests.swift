import Clients
import ComposableArchitecture
import Domain
import Features
import Testing

@testable import LivePages
@testable import Web

@Suite("Contacts, on a page")
struct ContactViewTests {
    private static func contact(
        _ number: UInt8, _ name: String, responder: Bool = false, status: UserStatus? = nil,
        pinged: Bool = false, asks: Bool = false, note: String = ""
    ) throws -> ContactData {
        ContactData(
            id: Sample.id(number), name: name, phoneNumber: try PhoneNumber("+15550101"),
            profilePictureURL: nil,
            roles: try ContactRoles(isResponder: responder, isDependent: status != nil),
            dateAdded: Sample.ago(.hours(Int(number))), hasPendingPing: asks,
            pingedAt: pinged ? Sample.ago(.minutes(5)) : nil,
            watch: status.map {
                .init(
                    emergencyNote: note, lastCheckInTime: Sample.ago(.hours(3)),
                    nextCheckInTime: Sample.now.adding(.hours(1)),
                    checkInIntervalSeconds: 86_400, status: $0)
            })
    }

    @Test func dependentsInTroubleComeFirst() throws {
        let fine = try Self.contact(1, "Ana", status: .active)
        let inTrouble = try Self.contact(2, "Zoe", status: .alertActive)
        var state = DependentsFeature.State(contacts: .init(contacts: [fine, inTrouble]))
        state.sortOption = .name
        let page = screen { DependentsFeature.view(state) }
        #expect(page.headings == [1, 2, 3, 2, 3])
        #expect(page.shows("1 person needs you now"))
        #expect(try page.press("See Zoe’s alert") == .alertTapped(inTrouble))
        #expect(try page.press("Newest") == .setSortOption(.dateAdded))
        #expect(try page.press("Ping Ana") == .ping(.pingDependent(fine.id)))
        #expect(try page.press("Ana: details") == .selectContact(fine))
        let places = ["Zoe: details", "Ana: details"].map { page.buttons.firstIndex(of: $0) ?? -1 }
        #expect(places[0] >= 0 && places[0] < places[1])
    }

    /// An open sheet compares the ids of the alarms, and repeats the text of new ones. The sheet
    /// of an alarm has its id, too.
    @Test func alarmHasOneIDOnEveryTab() throws {
        let zoe = try Self.contact(2, "Zoe", status: .alertActive)
        let silent = try Self.contact(2, "Zoe", status: .nonResponsive)
        func alarms(_ contact: ContactData, on tab: MainTabFeature.Tab) -> [String] {
            var main = MainTabFeature.State(userID: Sample.id(1), selectedTab: tab)
            main.responders.contacts.contacts = [contact]
            main.dependents.contacts.contacts = [contact]
            let page = screen { MainTabFeature.view(main, messages: .empty) { $0 } }
            return page.markup.matches(of: #/data-alarm="([^"]*)"/#).map { String($0.1) }
        }
        let raised = alarms(zoe, on: .dependents)
        #expect(raised.count == 1 && raised == alarms(zoe, on: .profile))
        let missed = alarms(silent, on: .dependents)
        #expect(missed.count == 1 && missed == alarms(silent, on: .profile))
        #expect(raised != missed)
        let sheet = screen { DependentAlertFeature.view(.init(dependent: zoe)) }
        #expect(sheet.markup.contains("data-alarm=\"\(raised.first ?? "")\""))
    }

    /// A call for help that begins behind the sheet of a missed check-in must be repeated there.
    @Test(arguments: [AlertKind.missedCheckIn, .manual, .journey])
    func sheetHasTheAlarmOfItsOwnAlert(kind: AlertKind) throws {
        let zoe = try Self.contact(2, "Zoe", status: .alertActive)
        func id(_ alert: AlertRecord) -> String? {
            let page = screen { DependentAlertFeature.view(.init(dependent: zoe, alert: alert)) }
            return page.markup.firstMatch(of: #/data-alarm="([^"]*)"/#).map { String($0.1) }
        }
        let open = Sample.alert(kind: kind)
        switch kind {
        case .missedCheckIn: #expect(id(open) == "\(zoe.id)-nonResponsive")
        case .manual: #expect(id(open) == "\(zoe.id)-alertActive")
        case .journey: #expect(id(open) == open.id)
        }
        #expect(id(Sample.alert(kind: kind, until: Sample.now)) == nil)
    }

    @Test func timesNameDependentsTimeZone() throws {
        var contact = try Self.contact(1, "Ana", status: .active)
        let without = screen { DependentsFeature.view(.init(contacts: .init(contacts: [contact]))) }
        #expect(!without.markup.contains("data-zone"))
        contact.watch?.timeZone = "Asia/Tokyo"
        let page = screen { DependentsFeature.view(.init(contacts: .init(contacts: [contact]))) }
        #expect(page.markup.split(separator: #"data-zone="Asia/Tokyo""#).count == 3)
    }

    @Test func endAndHelpersTimeNameDependentsTimeZone() throws {
        var contact = try Self.contact(1, "Zoe", status: .active)
        contact.watch?.timeZone = "Asia/Tokyo"
        func zones(_ alert: AlertRecord) -> Int {
            screen { DependentAlertFeature.view(.init(dependent: contact, alert: alert)) }
                .markup.split(separator: #"data-zone="Asia/Tokyo""#).count
        }
        let open = zones(Sample.alert())
        #expect(zones(Sample.alert(until: Sample.now)) == open + 1)
        #expect(zones(Sample.alert(until: Sample.now, answeredBy: "Ben")) == open + 2)
    }

    /// The page's clock shows the time of silence only after the deadline. A change of schedule
    /// during the alert moves the deadline ahead.
    @Test func timeOfSilenceBeginsAtTheDeadline() throws {
        var silent = try Self.contact(2, "Zoe", status: .nonResponsive)
        let deadline = try #require(silent.watch?.nextCheckInTime)
        let card = screen { troubledCard(silent, .init()) }
        #expect(card.shows("Zoe has not checked in . The next deadline is"))
        let parts = card.markup.split(separator: "data-begins=\"\(deadline.wireText)\"")
        #expect(parts.count == 2)
        #expect(parts.first?.contains("data-countdown") == false)
        #expect(parts.first?.contains("data-absolute") == true)
        #expect(parts.last?.contains("data-countdown") == true)
        silent.watch?.nextCheckInTime = nil
        #expect(screen { troubledCard(silent, .init()) }.shows("Zoe has not checked in"))
    }

    @Test func cardShowsHelper() throws {
        let inTrouble = try Self.contact(2, "Zoe", status: .alertActive)
        let state = DependentsFeature.State(contacts: .init(contacts: [inTrouble]))
        #expect(
            screen { DependentsFeature.view(state) { _ in "Ben is on it" } }.shows("Ben is on it"))
        #expect(!screen { DependentsFeature.view(state) }.shows("is on it"))
    }

    @Test func unansweredPingCanBeCleared() throws {
        let pinged = try Self.contact(1, "Ana", status: .active, pinged: true)
        let page = screen { DependentsFeature.view(.init(contacts: .init(contacts: [pinged]))) }
        #expect(page.shows("No answer yet"))
        #expect(try page.press("Clear ping to Ana") == .ping(.clearPing(pinged.id)))
    }

    @Test func responderCardShowsReachability() throws {
        var ana = try Self.contact(1, "Ana", responder: true)
        func page() -> Screen<RespondersFeature.Action> {
            screen { RespondersFeature.view(.init(contacts: .init(contacts: [ana]))) }
        }
        #expect(!page().shows("LifeSignal is closed"))
        ana.reachability = .unreachable()
        #expect(page().shows("Can’t be reached while LifeSignal is closed: notifications are off"))
    }

    @Test func requestsAreShownAndAnswered() throws {
        var mine = try Self.contact(1, "Ana", responder: true)
        var theirs = try Self.contact(2, "Ben", responder: true)
        for (number, isMine) in [true, false].enumerated() {
            let request = RoleRequest(
                role: number == 0 ? .responder : .dependent, isMine: isMine, requestedAt: Sample.now
            )
            let contact = number == 0 ? mine : theirs
            var changed = contact
            changed.isResponder = false
            changed.phoneNumber = nil
            changed.requests = [request]
            if number == 0 { mine = changed } else { theirs = changed }
        }
        let responders = screen {
            RespondersFeature.view(.init(contacts: .init(contacts: [mine, theirs])))
        }
        #expect(responders.shows("Not accepted yet") && !responders.markup.contains(">Ben<"))
        let dependents = screen {
            DependentsFeature.view(.init(contacts: .init(contacts: [mine, theirs])))
        }
        #expect(dependents.shows("Asks you to be their responder") && !dependents.shows("Ana"))
        let asked = screen {
            ContactDetailsSheetViewFeature.view(.init(contact: mine, isSheetPresented: true))
        }
        #expect(asked.shows("Ana has not accepted yet.") && !asked.shows("Accept"))
        let asks = screen {
            ContactDetailsSheetViewFeature.view(.init(contact: theirs, isSheetPresented: true))
        }
        #expect(try asks.press("Accept") == .acceptButtonTapped(.dependent))
        #expect(try asks.press("Decline") == .declineButtonTapped(.dependent))
    }

    @Test func pingsCanBeAnsweredOneByOneOrTogether() throws {
        let asking = try [
            Self.contact(1, "Ana", responder: true, asks: true),
            Self.contact(2, "Ben", responder: true, asks: true),
        ]
        let page = screen {
            RespondersFeature.view(.init(contacts: .init(contacts: .init(uniqueElements: asking))))
        }
        #expect(page.shows("2 responders ask whether you are fine"))
        #expect(try page.press("I’m fine: answer all") == .ping(.respondToAllPings))
        #expect(try page.press("I’m fine: answer Ben") == .ping(.respondToPing(asking[1].id)))
        #expect(screen { RespondersFeature.view(.init()) }.shows("No one will be alerted"))
    }

    /// A screen reader says why the switch for a guest is locked.
    @Test(arguments: [true, false])
    func roleSwitchIsDescribedByItsHint(isGuest: Bool) throws {
        var contact = try Self.contact(1, "Ben", responder: true)
        contact.isGuest = isGuest
        let page = screen {
            ContactDetailsSheetViewFeature.view(.init(contact: contact, isSheetPresented: true))
        }
        let name = ContactDetailsSheetViewFeature.State.roleTitle(.dependent)
        let locked = try page.control(labelled: name)
        #expect(locked.isDisabled == isGuest)
        let id = try #require(locked.attribute("aria-describedby"))
        let hint = try #require(page.markup.split(separator: "id=\"\(id)\"").last?.prefix(300))
        #expect(hint.contains("I am told when they need help."))
        #expect(hint.contains("has no account") == isGuest)
        #expect(try !page.control(labelled: "My responder").isDisabled)
    }

    @Test func contactSheetCallsChangesAndRemoves() throws {
        let contact = try Self.contact(
            1, Sample.hostile, responder: true, status: .active, note: Sample.hostile)
        let page = screen {
            ContactDetailsSheetViewFeature.view(.init(contact: contact, isSheetPresented: true))
        }
        #expect(!page.markup.contains("<script"))
        #expect(page.markup.contains(Sample.hostileEscaped))
        #expect(page.markup.contains("href=\"tel:+15550101\""))
        #expect(try page.press("My responder") == .responderToggleTapped)
        #expect(try page.press("I watch over them") == .dependentToggleTapped)
        #expect(try page.press("Remove contact") == .removeButtonTapped)
        #expect(try page.press("Close") == .closeButtonTapped)
        #expect(!page.shows("See the alert"))
        let troubled = try Self.contact(2, "Zoe", status: .alertActive)
        let sheet = screen {
            ContactDetailsSheetViewFeature.view(.init(contact: troubled, isSheetPresented: true))
        }
        #expect(try sheet.press("See Zoe’s alert") == .alertButtonTapped)
    }

    @Test func addingNeedsAtLeastOneRole() throws {
        let owner = CodeOwner(id: Sample.id(1), name: "Ana")
        var state = AddContactFeature.State(
            code: "x", name: "Ana", owner: owner, isSheetPresented: true)
        #expect(try screen { AddContactFeature.view(state) }.canPress("Add Ana"))
        state.isResponder = false
        #expect(try !screen { AddContactFeature.view(state) }.canPress("Add Ana"))
        state.owner = nil
        let unknown = screen { AddContactFeature.view(state) }
        #expect(try unknown.press("Look it up again") == .retryButtonTapped)
        #expect(try unknown.press("Try another code") == .otherCodeButtonTapped)
        #expect(unknown.shows("We don’t know whose code this is."))
        state.error = .unavailable
        #expect(
            try screen { AddContactFeature.view(state) }.press("Look it up again")
                == .retryButtonTapped)
        for error in [ContactRules.ownCode, QRCodeRules.notACode, .notFound("No one.")] {
            (state.error, state.isCodeRefused) = (UserFacingError(error), true)
            let known = screen { AddContactFeature.view(state) }
            #expect(!known.shows("We don’t know") && !known.shows("Look it up again"))
            #expect(try known.press("Try another code") == .otherCodeButtonTapped)
        }
        state.error = nil
        #expect(
            !screen { AddContactFeature.view(state) }.shows("We don’t know"), "after \"Dismiss\"")
    }

    @Test func alertSheetShowsPersonAndHelper() throws {
        let contact = try Self.contact(1, "Zoe", status: .alertActive, note: "Asthma")
        var state = DependentAlertFeature.State(
            alertID: Sample.id(1), dependent: contact,
            alert: Sample.alert(told: [Sample.told("Ben")]))
        let page = screen { DependentAlertFeature.view(state) }
        for words in ["Zoe needs help", "Asthma", "Ben", "No one yet"] {
            #expect(page.shows(words))
        }
        #expect(page.markup.contains("href=\"tel:+15550101\""))
        #expect(try page.press("I’m on it") == .acknowledgeButtonTapped)
        state.alert = Sample.alert(answeredBy: "Ben")
        #expect(screen { DependentAlertFeature.view(state) }.shows("Ben is on it"))
    }
}
