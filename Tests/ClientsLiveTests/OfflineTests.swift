import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// Simulates a day without a connection, with the clients that the features use.
@Suite struct OfflineTests {
    let app: TestApp
    let ben: Person

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
    }

    /// - Parameter before: see `HookedTransport`.
    private func ada(
        before: @escaping @Sendable (TransportRequest) async throws -> TransportResponse? = { _ in
            nil
        }
    ) async throws -> Home {
        let home = try Home(in: app, before: before)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        let code = try await ben.connection.call(Routes.qrCode).payload
        _ = try await home.values.contactClient.addContact(
            code: code, roles: ContactRoles(isResponder: true, isDependent: true))
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: noon)
        return home
    }

    @Test func actionsShowAtOnceAndStayQueuedUntilConfirmed() async throws {
        let home = try await ada()
        await home.goOffline()
        app.time.pass(.hours(2))
        let moment = app.time.now
        #expect(
            try await home.values.checkInClient.checkIn(id: id(2), occurredAt: moment).isWaiting)
        #expect(try await home.values.alertClient.raise(id: id(3)).isWaiting)
        #expect(
            try await home.values.userClient.updateProfile(
                name: nil, emergencyNote: "Insulin in the fridge"
            ).isWaiting)
        #expect(try await home.values.pingClient.pingDependent(id: ben.id).isWaiting)

        #expect(await home.waiting() == [.raiseAlert, .checkIn, .updateProfile, .ping])
        let profile = try #require(await first(home.values.userClient.profileStream()))
        // The old deadline stays, because it still counts for responders.
        #expect(
            profile.nextCheckInTime == noon.adding(.hours(24))
                && profile.emergencyNote == "Insulin in the fridge")
        #expect(profile.status == .alertActive)
        #expect(await first(home.values.alertClient.alertsStream())?.map(\.isActive) == [true])
        #expect(await first(home.values.contactClient.contactsStream())?.first?.pingedAt == moment)
        #expect(
            try await home.values.checkInClient.history(before: nil).items.map(\.occurredAt) == [
                moment, noon,
            ])
        #expect(try await app.notes(of: ben).contains("Ada needs help") == false)

        home.goOnline()
        await home.isSent()
        let order = home.cable.sent.filter { $0.hasPrefix("P") }.suffix(4).map {
            $0.split(separator: "/").dropFirst(2).first
        }
        #expect(order == ["alerts", "check-ins", "me", "pings"])
        #expect(try await app.notes(of: ben).contains("Ada needs help"))
        #expect(await first(home.values.userClient.profileStream())?.status == .alertActive)
        #expect(
            await first(home.values.userClient.profileStream())?.nextCheckInTime
                == moment.adding(.hours(24)))
        await home.clients.stop()
    }

    @Test func lastCheckInIsTheNewest() async throws {
        let home = try await ada()
        #expect(await home.clients.lastCheckIn()?.id == id(1))
        app.time.pass(.hours(2))
        let moment = app.time.now
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: moment)
        #expect(await home.clients.lastCheckIn()?.id == id(2))
        await home.clients.stop()
    }

    @Test func offlineCopyChoiceShowsAtOnceAndIsSent() async throws {
        let home = try await ada()
        await home.goOffline()
        let client = home.values.userClient
        #expect(try await client.setLeavesNoteOutOfCopy(leavesOut: true).isWaiting)
        #expect(try await client.updateProfile(name: nil, emergencyNote: "Insulin").isWaiting)
        #expect(await home.waiting() == [.updateProfile, .updateProfile])
        let offline = try #require(await first(client.profileStream()))
        #expect(offline.leavesNoteOutOfCopy == true && offline.emergencyNote == "Insulin")

        home.goOnline()
        await home.isSent()
        let requests = try home.cable.bodies(to: "/v1/me").filter { !$0.isEmpty }.map {
            try WireJSON.decoder().decode(UpdateProfileRequest.self, from: $0)
        }
        #expect(
            requests.first { $0.name == nil } == UpdateProfileRequest(leavesNoteOutOfCopy: true))
        #expect(requests.last == UpdateProfileRequest(emergencyNote: "Insulin"))
        let online = try await client.profile()
        #expect(online.leavesNoteOutOfCopy == true && online.emergencyNote == "Insulin")
        await home.clients.stop()
    }

    @Test func offlinePauseWaitsInOrderWithItsEnd() async throws {
        let home = try await ada()
        await home.goOffline()
        let end = app.time.now.adding(.days(3))
        #expect(try await home.values.checkInClient.pause(until: end).isWaiting)
        #expect(try await home.values.checkInClient.endPause().isWaiting)
        #expect(try await home.values.checkInClient.pause(until: end).isWaiting)
        #expect(await home.waiting() == [.pause, .endPause, .pause])
        let offline = try #require(await first(home.values.userClient.profileStream()))
        // Responders would be told of a missed check-in until the server has the pause.
        #expect(offline.pause == nil && offline.nextCheckInTime == noon.adding(.hours(24)))

        home.goOnline()
        // The server takes a second pause only five minutes after the first; the action waits.
        await home.waits(for: [.pause])
        app.time.pass(.minutes(5))
        await home.isSent()
        let sent = home.cable.sent.filter { $0.hasSuffix("/me/pause") }
        #expect(sent.prefix(2) == ["PUT /v1/me/pause", "DELETE /v1/me/pause"])
        #expect(Set(sent.dropFirst(2)) == ["PUT /v1/me/pause"])
        let online = try #require(
            await first(home.values.userClient.profileStream()) { $0.pause != nil })
        #expect(online.pause?.until == end && online.nextCheckInTime == end.adding(.hours(24)))
        await home.clients.stop()
    }

    @Test func offlineJourneyPressesWaitInOrderAndCountFromThePress() async throws {
        let home = try await ada()
        let (client, journey) = (home.values.journeyClient, id(7) as JourneyID)
        let me = try #require(home.tokens.load()?.userID)
        try await ben.connection.call(Routes.acceptRequest(.dependent), id: me.uuid)
        let back = app.time.now.adding(.hours(1))
        let started = try await client.start(
            journey: JourneyDraft(id: journey, name: "Zugspitze", expectedReturn: back))
        #expect(started.journey?.expectedReturn == back)
        await home.goOffline()
        let later = back.adding(.minutes(30))
        #expect(
            try await client.extend(id: journey, expectedReturn: later, isLater: true).isWaiting)
        #expect(await home.clients.expectedReturn() == later)
        #expect(await client.expectedReturn() == later)
        app.time.pass(.minutes(50))
        let pressed = app.time.now
        #expect(try await client.arrive(id: journey).isWaiting)
        #expect(await home.waiting() == [.extendJourney, .endJourney])
        // Responders would be told until the server has the presses.
        let offline = try #require(await first(home.values.userClient.profileStream()))
        #expect(offline.journey?.expectedReturn == back)

        app.time.pass(.minutes(5))
        home.goOnline()
        await home.isSent()
        let sent = home.cable.sent.filter { $0.contains("/v1/journeys/") }
        // A press may be sent twice, because sending it again changes nothing.
        #expect(sent.first == "PUT /v1/journeys/\(journey)/return")
        #expect(sent.last == "PUT /v1/journeys/\(journey)/arrival")
        let bodies = home.cable.bodies(to: "/v1/journeys/\(journey)/arrival")
        #expect(
            try bodies.map { try WireJSON.decoder().decode(EndJourneyRequest.self, from: $0) }
                == [EndJourneyRequest(pressedAt: pressed)])
        #expect(
            await first(home.values.userClient.profileStream()) { $0.journey == nil } != nil)
        await home.clients.stop()
    }

    /// "I have arrived" was pressed by mistake.
    @Test(arguments: [false, true])
    func laterReturnTakesBackAnUnsentArrival(isOlderServer: Bool) async throws {
        let home =
            isOlderServer
            ? try await ada(before: HookedTransport.refusing("isLater", of: "/return"))
            : try await ada()
        let (client, journey) = (home.values.journeyClient, id(7) as JourneyID)
        let me = try #require(home.tokens.load()?.userID)
        try await ben.connection.call(Routes.acceptRequest(.dependent), id: me.uuid)
        let back = app.time.now.adding(.hours(1))
        _ = try await client.start(
            journey: JourneyDraft(id: journey, name: "Zugspitze", expectedReturn: back))
        await home.goOffline()
        app.time.pass(.minutes(1))
        #expect(try await client.arrive(id: journey).isWaiting)
        // Another journey's arrival stays.
        #expect(try await client.arrive(id: id(8)).isWaiting)
        let status = home.values.connectivityClient.status
        let arrivals = try #require(await first(status())).waiting.map(\.id)
        app.time.pass(.minutes(1))
        let later = back.adding(.minutes(30))
        #expect(
            try await client.extend(id: journey, expectedReturn: later, isLater: true).isWaiting)
        #expect(await home.waiting() == [.endJourney, .extendJourney])
        #expect(await first(status())?.discarded == Set(arrivals.prefix(1)))
        home.goOnline()
        await home.isSent()
        let profile = try #require(
            await first(home.values.userClient.profileStream()) {
                $0.journey?.expectedReturn == later
            })
        #expect(profile.journey?.id == journey)
        let body = try #require(home.cable.bodies(to: "/v1/journeys/\(journey)/return").last)
        #expect(
            try WireJSON.decoder().decode(ExtendJourneyRequest.self, from: body).isLater
                == (isOlderServer ? nil : true))
        await home.clients.stop()
    }

    /// The arrival on another device has told the responders that the person is back.
    @Test(arguments: [false, true])
    func queuedReturnOfAnEndedJourneyIsRefused(isEnded: Bool) async throws {
        let home = try await ada()
        let (client, journey) = (home.values.journeyClient, id(7) as JourneyID)
        let me = try #require(home.tokens.load()?.userID)
        try await ben.connection.call(Routes.acceptRequest(.dependent), id: me.uuid)
        let back = app.time.now.adding(.hours(1))
        _ = try await client.start(
            journey: JourneyDraft(id: journey, name: "Zugspitze", expectedReturn: back))
        await home.goOffline()
        app.time.pass(.minutes(1))
        let later = back.adding(.minutes(30))
        #expect(
            try await client.extend(id: journey, expectedReturn: later, isLater: true).isWaiting)
        if isEnded {
            let other = try Home(in: app)
            try await other.signIn("+15550100001", in: app)
            _ = try await other.values.journeyClient.arrive(id: journey)
            await other.clients.stop()
        }
        home.goOnline()
        await home.isSent()
        let status = try #require(await first(home.values.connectivityClient.status()))
        #expect(status.refused.count == (isEnded ? 1 : 0))
        if isEnded {
            let refusal = try #require(await first(home.values.connectivityClient.refusals()))
            #expect(refusal.action.kind == .extendJourney)
            #expect(refusal.error == .journeyIsOver)
        }
        await home.clients.stop()
    }

    @Test func pressOnAnEndedJourneyShowsTheProfile() async throws {
        let home = try Home(in: app, isSession: true)
        try await home.signIn("+15550100001", in: app)
        let profile = try await home.values.journeyClient.arrive(id: id(7)).confirmed
        #expect(profile != nil && profile?.journey == nil)
        await home.clients.stop()
    }

    @Test(arguments: [false, true])
    func endedJourneyIsGoneEvenIfTheProfileCannotLoad(isLaterReturn: Bool) async throws {
        let isGone = Flag()
        let home = try await ada { request in
            let path = request.path
            if path.hasSuffix("/arrival") || path.hasSuffix("/return") {
                _ = isGone.raise()
                return try TransportResponse.problem(.notFound)
            }
            let isProfile = path == "/v1/me" && request.method == .get
            return isProfile && isGone.isRaised
                ? try TransportResponse.problem(.rateLimited) : nil
        }
        let (client, journey) = (home.values.journeyClient, id(7) as JourneyID)
        let me = try #require(home.tokens.load()?.userID)
        try await ben.connection.call(Routes.acceptRequest(.dependent), id: me.uuid)
        let back = app.time.now.adding(.hours(1))
        _ = try await client.start(
            journey: JourneyDraft(id: journey, name: "Zugspitze", expectedReturn: back))
        let later = back.adding(.minutes(30))
        let submission =
            isLaterReturn
            ? try await client.extend(id: journey, expectedReturn: later, isLater: true)
            : try await client.arrive(id: journey)
        let profile = try #require(submission.confirmed)
        #expect(profile.name == "Ada" && profile.journey == nil)
        #expect(await home.clients.profile()?.journey == nil)
        await home.clients.stop()
    }

    @Test func offlineStartShowsTheCopyAndItsAge() async throws {
        let home = try await ada()
        let synced = app.time.now
        await home.clients.controller.account?.wait { model, _ in
            model.contacts.count == 1 && model.checkIns.count == 1 && !model.notifications.isEmpty
        }
        while let account = home.clients.controller.account, case .more = await account.save() {}
        await home.clients.stop()

        app.time.pass(.hours(3))
        let next = try Home(in: app, folder: home.folder, tokens: home.tokens)
        next.clock.hold()
        next.cable.isPlugged = false
        let tokens = try #require(home.tokens.load())
        #expect(
            try await next.clients.start()
                == SignedIn(
                    userID: tokens.userID, isNewUser: false, sessionID: tokens.sessionID))
        #expect(await first(next.values.contactClient.contactsStream())?.map(\.name) == ["Ben"])
        #expect(await first(next.values.notificationClient.notificationStream())?.isEmpty == false)
        #expect(try await next.values.checkInClient.history(before: nil).items.map(\.id) == [id(1)])
        #expect(try await next.values.userClient.profile().name == "Ada")
        #expect(
            await refusal { try await next.values.userClient.loadedProfile() }?.code
                == "unreachable")
        #expect(try await next.values.contactClient.contacts().map(\.name) == ["Ben"])
        #expect(
            await refusal { try await next.values.contactClient.loadedContacts() }?.code
                == "unreachable")
        let status = try #require(await first(next.values.connectivityClient.status()))
        #expect(!status.isOnline && status.lastSynced == synced)
        next.cable.isPlugged = true
        #expect(try await next.values.contactClient.loadedContacts().map(\.name) == ["Ben"])
        await next.clients.stop()
    }

    /// The disk opens the queue's file, but can't read it.
    @Test func unreadableQueueIsNotUsed() async throws {
        let home = try await ada()
        await home.clients.stop()
        try home.changeQueue("ALTER TABLE actions RENAME TO unreadable")
        for isReadable in [false, true] {
            if isReadable { try home.changeQueue("ALTER TABLE unreadable RENAME TO actions") }
            let next = try Home(in: app, folder: home.folder, tokens: home.tokens)
            try await next.clients.start()
            await next.goOffline()
            let client = next.values.alertClient
            if isReadable {
                #expect(try await client.raise(id: id(3)).isWaiting)
            } else {
                #expect(await refusal { try await client.raise(id: id(3)) }?.code == "unreachable")
            }
            #expect(await next.waiting() == (isReadable ? [.raiseAlert] : []))
            next.goOnline()
            await next.clients.stop()
        }
    }

    @Test func signOutKeepsAnUnreadableQueueOnly() async throws {
        let home = try await ada()
        await home.clients.stop()
        try home.changeQueue("ALTER TABLE actions RENAME TO unreadable")
        let next = try Home(in: app, folder: home.folder, tokens: home.tokens)
        try await next.clients.start()
        #expect(try await next.values.authClient.signOut() == [])
        #expect(next.files.allSatisfy { $0.hasPrefix("queue-") } && !next.files.isEmpty)
    }

    @Test func webSessionNeitherStoresNorQueues() async throws {
        let home = try Home(in: app, isSession: true)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        await home.goOffline()
        let error = await refusal {
            try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon)
        }
        #expect(error?.code == "unreachable")
        #expect(
            await refusal { try await home.values.alertClient.raise(id: id(3)) }?.recoverySuggestion
                .contains("Call for help directly") == true)
        #expect(await home.waiting() == [] && home.files == [])
        // The queue is empty, so there is nothing to refuse and the stream ends at once.
        for await refusal in home.values.connectivityClient.refusals() {
            Issue.record("\(refusal)")
        }
        #expect(await first(home.values.alertClient.alertsStream()) == [])
        home.goOnline()
        #expect(
            try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon).confirmed?
                .occurredAt == noon)
        await home.clients.stop()
    }

    @Test func refusedActionsAreReportedRevertedAndDropped() async throws {
        let home = try await ada()
        let me = try #require(home.tokens.load()?.userID)
        await home.goOffline()
        #expect(
            try await home.values.contactClient.changeRoles(
                id: ben.id, roles: ContactRoles(isResponder: true, isDependent: false),
                only: .dependent
            ).isWaiting)
        try await ben.connection.call(Routes.removeContact, id: me.uuid)
        home.goOnline()
        let refusal = try #require(await first(home.values.connectivityClient.refusals()))
        #expect(refusal.action.kind == .changeRoles && refusal.error.code == "not-found")
        await home.isSent()
        #expect(await first(home.values.contactClient.contactsStream()) { $0.isEmpty } == [])
        await home.clients.stop()
    }

    /// The process ended before it had reported the refusal.
    @Test func refusalIsReportedAfterRestart() async throws {
        let home = try await ada()
        let me = try #require(home.tokens.load()?.userID)
        await home.goOffline()
        _ = try await home.values.contactClient.changeRoles(
            id: ben.id, roles: ContactRoles(isResponder: true, isDependent: false),
            only: .dependent)
        try await ben.connection.call(Routes.removeContact, id: me.uuid)
        home.goOnline()
        await home.isSent()
        await home.clients.stop()

        let next = try Home(in: app, folder: home.folder, tokens: home.tokens)
        try await next.clients.start()
        #expect(await first(next.values.connectivityClient.refusals())?.action.kind == .changeRoles)
        #expect(await next.waiting() == [])
        await next.clients.stop()
    }

    @Test func alertDoesNotWaitForAnotherActionsBackOff() async throws {
        let home = try await ada()
        await home.goOffline()
        #expect(try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon).isWaiting)
        // The clock is held, so the check-in's back-off doesn't end. The alert is sent anyway.
        home.cable.isPlugged = true
        #expect(try await home.values.alertClient.raise(id: id(3)).confirmed?.isActive == true)
        await home.isSent()
        home.clock.release()
        await home.clients.stop()
    }
}
