import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct ContactStoryTests {
    @Test func scannedCodeConnectsBothPeople() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.welcome("Ana", "+15550100001", note: "Penicillin")
        let ben = try await app.welcome("Ben", "+15550100002", note: "Asthma")
        let picture = try #require(try await ben.showCode().qrCodeImage).png

        await ana.send(tabs: .responders(.showQRScanner))
        await ana.send(tabs: .responders(.qrScanner(.pictureSelected(picture))))
        let owner = try await ana.tabs("whose code it is") { $0.responders.addContact.owner }
        #expect(try await owner.id == ben.id && owner.name == "Ben")
        await ana.send(tabs: .responders(.addContact(.addButtonTapped)))

        let asked = try await ana.contact("Ben")
        #expect(!asked.isResponder && asked.request(.responder)?.isMine == true)
        #expect(asked.phoneNumber == nil)
        try await ana.tabs(
            "that Ben was added",
            that: {
                $0.responders.alerts.contactAdded && !$0.responders.addContact.isSheetPresented
            })
        #expect(try await ben.contact("Ana").watch == nil)
        try await ben.acceptRequest()

        let seenByAna = try await ana.contact("Ben", "who is her responder", isAs: \.isResponder)
        #expect(!seenByAna.isDependent && seenByAna.watch == nil)
        let seenByBen = try await ben.contact("Ana")
        #expect(!seenByBen.isResponder && seenByBen.isDependent)
        #expect(
            seenByBen.watch?.emergencyNote == "Penicillin" && seenByBen.watch?.status == .active)
        // Newer notifications about Ana may precede this one.
        try await ben.tabs("the word that Ana added him") { tabs in
            tabs.notifications.notifications.first { $0.type == .contactAdded }
        }
    }

    @Test func declinedRequestRemovesTheConnection() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.welcome("Ana", "+15550100001")
        let ben = try await app.welcome("Ben", "+15550100002")
        let code = try await ben.showCode().qrCodeID
        try await ana.add(code, isResponder: true, isDependent: false)
        await ben.send(tabs: .dependents(.selectContact(try await ben.contact("Ana"))))
        await ben.send(tabs: .dependents(.contactDetails(.declineButtonTapped(.dependent))))
        for person in [ana, ben] {
            try await person.tabs(
                "no contact", that: { $0.responders.contacts.contacts.isEmpty })
        }
        try await ana.notification("Ben declined your request")
        try await ben.tabs(
            "a closed sheet", that: { !$0.dependents.contactDetails.isSheetPresented })
    }

    @Test func renewedCodeReplacesTheOldOne() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.welcome("Ana", "+15550100001")
        let ben = try await app.welcome("Ben", "+15550100002")
        let old = try await ben.showCode().qrCodeID
        await ben.send(tabs: .home(.qrCodeButtonTapped))
        await ben.send(tabs: .home(.qrCode(.presented(.refreshQRCodeButtonTapped))))
        let new = try await ben.tabs("another code") { tabs in
            tabs.home.qrCode.flatMap {
                $0.canShare && $0.hasQRCode && $0.qrCodeID != old ? $0.qrCodeID : nil
            }
        }
        await ana.send(tabs: .linkOpened(code: old))
        try await ana.tabs(
            "that nobody has the code",
            that: { $0.dependents.addContact.error?.code == "not-found" })
        try await ana.add(new, isResponder: true, isDependent: false)
        try await ana.contact("Ben")
    }

    @Test func ownCodeIsRejectedBeforeChoosingRoles() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.welcome("Ana", "+15550100001")
        await ana.send(tabs: .linkOpened(code: try await ana.showCode().qrCodeID))
        let sheet = try await ana.tabs("that it is her own") { tabs in
            tabs.dependents.addContact.error == nil ? nil : tabs.dependents.addContact
        }
        #expect(sheet.error == UserFacingError(ContactRules.ownCode) && sheet.owner == nil)
    }

    @Test func removedRoleDisappearsFromTheOpenSheet() async throws {
        let both = try await AnaAndBen(mutually: true)
        let seen = try await both.ben.contact("Ana")
        await both.ben.send(tabs: .dependents(.selectContact(seen)))
        try await both.ben.tabs(
            "Ana's note in the sheet",
            that: { $0.dependents.contactDetails.emergencyNote == "Penicillin" })

        await both.ana.send(tabs: .responders(.selectContact(try await both.ana.contact("Ben"))))
        await both.ana.send(tabs: .responders(.contactDetails(.responderToggleTapped)))
        await both.ana.send(
            tabs: .responders(
                .contactDetails(.confirmation(.presented(.responderConfirmed(false))))))
        try await both.ana.contact(
            "Ben", "who is no responder", isAs: { !$0.isResponder && $0.isDependent })
        try await both.ben.tabs("a sheet without the note") { tabs -> Bool? in
            let sheet = tabs.dependents.contactDetails
            return sheet.isSheetPresented && !sheet.isDependent && sheet.emergencyNote == nil
                && !sheet.canPing ? true : nil
        }
        try await both.ben.tabs(
            "nobody to watch over", that: { $0.dependents.contacts.dependents.isEmpty })
        #expect(try await both.ben.notification("Ana").aboutUserID == both.ana.id)
    }

    @Test func removalByAContactClosesTheOpenSheet() async throws {
        let both = try await AnaAndBen()
        await both.ben.send(tabs: .dependents(.selectContact(try await both.ben.contact("Ana"))))
        await both.ana.send(tabs: .responders(.selectContact(try await both.ana.contact("Ben"))))
        await both.ana.send(tabs: .responders(.contactDetails(.removeButtonTapped)))
        await both.ana.send(
            tabs: .responders(.contactDetails(.confirmation(.presented(.removeConfirmed)))))

        try await both.ana.tabs("no contact, and no words of failure") { tabs -> Bool? in
            tabs.responders.contacts.contacts.isEmpty
                && !tabs.responders.contactDetails.isSheetPresented && tabs.responders.error == nil
                ? true : nil
        }
        try await both.ben.tabs("a closed sheet and why") { tabs -> Bool? in
            !tabs.dependents.contactDetails.isSheetPresented
                && tabs.dependents.error?.code == "contact-removed" ? true : nil
        }
        try await both.ben.tabs(
            "no contact in any tab",
            that: {
                $0.responders.contacts.contacts.isEmpty && $0.dependents.contacts.contacts.isEmpty
            })
        try await both.ben.tabs(
            "a notification of it",
            that: { $0.notifications.notifications.contains { $0.type == .contactRemoved } })
    }

    @Test func samePersonIsNotAddedTwice() async throws {
        let both = try await AnaAndBen()
        let code = try await both.ben.showCode().qrCodeID
        await both.ana.send(tabs: .linkOpened(code: code))
        _ = try await both.ana.tabs("whose code it is") { $0.dependents.addContact.owner }
        await both.ana.send(tabs: .dependents(.addContact(.addButtonTapped)))
        try await both.ana.tabs(
            "that Ben is a contact already", that: { $0.dependents.alerts.contactExists })
        #expect(
            try await both.app.count("SELECT COUNT(*) FROM contacts WHERE user_id < contact_id")
                == 1)
    }
}
