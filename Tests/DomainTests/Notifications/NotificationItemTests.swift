import Foundation
import Testing

@testable import Domain

@Suite struct NotificationItemTests {
    private let own: SessionID = id(1)

    private func item(_ text: NotificationText, session: SessionID?) -> NotificationItem {
        NotificationItem(
            id: id(9), type: text.type, title: text.title, body: "", createdAt: noon,
            sessionID: session, kind: text.kind)
    }

    @Test func deviceShowsItsOwnLastingChangesWithoutTheOfferToEndItself() throws {
        let number = try PhoneNumber("+15550100001")
        let texts: [NotificationText] = [
            .sourceAdded(name: "Door tag"), .emailRemoved,
            .numberWillChange(to: number, at: noon),
            .passkeyAdded(name: "Phone"), .passkeyRenamed(from: "Phone", to: "Tablet"),
            .passkeyRemoved(name: "Phone"), .newRecoveryCodes,
            .recoveryCodeUsed(left: 3), .lockTurnedOn, .lockTurnedOff, .lockEnds(at: noon),
            .signInWaitStopped, .personUnblocked(name: "Ben"),
        ]
        for text in texts {
            #expect(item(text, session: own).shown(to: own) == item(text, session: nil))
            // As a server before the kinds has stored it.
            var old = item(text, session: own)
            old.kind = nil
            #expect(old.shown(to: own)?.id == old.id)
        }
    }

    @Test func onlyTheOwnDeviceIsNotAdvisedToEndItself() throws {
        let texts: [NotificationText] = [
            .sourceAdded(name: "Door tag"), .sourceReplaced(name: "Door tag"), .emailRemoved,
            .passkeyAdded(name: "Phone"), .passkeyRemoved(name: "Keyring"), .newRecoveryCodes,
            .recoveryCodeUsed(left: 3), .lockTurnedOn, .lockTurnedOff, .signInWaitStopped,
            .noteChanged(wasEmpty: false), .lastCallTakesAnswers, .lastCallTurnedOff,
        ]
        for text in texts {
            var known = item(text, session: own)
            known.body = text.body(in: nil, at: noon)
            let shown = try #require(known.shown(to: own))
            let advice = "If that was not you, end its session."
            #expect(known.body.hasSuffix(advice) && known.shown(to: id(2))?.body == known.body)
            #expect(shown.body.hasSuffix("may have used this device: check your settings."))
            #expect(shown.body.hasPrefix(String(known.body.dropLast(advice.count))))
        }
        // The advice to end the sessions that are not the user's is true on each device.
        let ends = NotificationText.lockEnds(at: noon)
        var known = item(ends, session: own)
        known.body = ends.body(in: nil, at: noon)
        #expect(known.shown(to: own)?.body == known.body)
    }

    /// The end of a session leaves passkeys and recovery codes.
    @Test func newsOfAWayToSignInNamesItsRemoval() {
        let texts: [(NotificationText, String)] = [
            (.passkeyAdded(name: "Phone"), "If you did not add it, remove it in Settings."),
            (.newRecoveryCodes, "If you did not make them, make others in Settings."),
            (.recoveryCodeUsed(left: 3), "If you did not use it, make new codes in Settings."),
        ]
        for (text, advice) in texts {
            #expect(text.body(in: nil, at: noon).contains(advice))
        }
        let removed = NotificationText.passkeyRemoved(name: "Phone").body(in: nil, at: noon)
        #expect(!removed.contains("Settings"))
    }

    @Test func deviceHidesOtherNewsOfItsOwnSession() {
        let texts: [NotificationText] = [
            .signedIn(device: "Phone", at: noon), .deviceSignedOut, .scheduleChanged, .appAdded,
            .browserAdded, .browserMoved, .appMoved, .endpointRemoved,
            .endpointAdded(host: "hooks.example"),
            .alertEndedElsewhere(device: "Phone", at: noon), .sourceRemoved(name: "Door tag"),
            .noteChanged(wasEmpty: true), .responderOrderChanged, .qrCodeRenewed,
            .ownSchedule(.pauseBegan(until: noon)), .ownSchedule(.pauseEnded(hasDeadlines: true)),
        ]
        for text in texts {
            var item = item(text, session: own)
            #expect(item.shown(to: own) == nil)
            item.kind = nil
            #expect(item.shown(to: own) == nil)
        }
    }

    @Test func kindTakesPrecedenceOverTitle() {
        var item = item(.lockTurnedOn, session: own)
        item.title = "Title"
        #expect(item.isOf(.lastingChange) && item.shown(to: own) != nil)
        item.kind = .other
        item.title = NotificationText.lockTurnedOn.title
        #expect(!item.isOf(.lastingChange) && item.shown(to: own) == nil)
    }

    /// - Parameter kind: nil in a message from before the kinds.
    private func message(_ title: String, _ kind: NotificationKind?) -> NotificationItem {
        NotificationItem(
            id: id(9), type: .system, title: title, body: "", createdAt: noon, kind: kind)
    }

    @Test func storedNewsIsKnownByItsKindOrOldTitle() {
        let delays = StoredNews.delays(name: "Ada")
        #expect(delays.contains(message("Title", .scheduleDelay)))
        #expect(!delays.contains(message("Ada may check in later", .other)))
        #expect(delays.contains(message("Ada may check in later", nil)))
        #expect(!delays.contains(message("Ben may check in later", nil)))
        let walk = StoredNews.journey("Walk", name: "Ada")
        #expect(walk.contains(message("Title: Walk", .journey)))
        #expect(!walk.contains(message("Title: Ride", .journey)))
        #expect(walk.contains(message("Ada has arrived: Walk", nil)))
        #expect(!walk.contains(message("Title: Walk", nil)))
    }

    @Test func newsOfAJourneyIsKnown() {
        let (walk, ride) = (
            StoredNews.journey("Walk", name: "Ada"), StoredNews.journey("Ride", name: "Ada")
        )
        let texts: [NotificationText] = [
            .journeyStarted(name: "Ada", journey: "Walk", expected: noon),
            .journeyExtended(
                name: "Ada", journey: "Walk", expected: noon, pressedAt: noon, receivedAt: noon),
            .journeyReturnResent(name: "Ada", journey: "Walk", expected: noon),
            .journeyEnded(name: "Ada", journey: "Walk", pressedAt: noon, receivedAt: noon),
        ]
        for text in texts {
            let item = message(text.title, text.kind)
            #expect(walk.contains(item) && !ride.contains(item))
        }
    }

    @Test(arguments: [id(2), nil] as [SessionID?])
    func deviceShowsNewsOfOthersUnchanged(session: SessionID?) {
        let texts: [NotificationText] = [
            .signedIn(device: "Phone", at: noon), .passkeyRemoved(name: "Phone"),
        ]
        for text in texts {
            let item = item(text, session: session)
            #expect(item.shown(to: own) == item)
        }
    }
}
