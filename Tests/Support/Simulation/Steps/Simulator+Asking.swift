import Domain
import Foundation
import Persistence
import SafetyNetwork

enum Answer<Value: Sendable>: Sendable {
    case answered(Value)
    case refused(CommandError)
    /// The network or the server is down, or the server can't write.
    case unreachable

    var value: Value? { if case .answered(let value) = self { value } else { nil } }
}

extension Simulator {
    func isOnline(_ person: Int) -> Bool { server != nil && phones[person].offlineUntil <= now }

    /// Sends a request of a person. Unreachable without an account or offline.
    @discardableResult
    func ask<Value: Sendable>(
        _ person: Int, _ command: (SafetyNetwork, Caller) async throws -> Value
    ) async -> Answer<Value> {
        guard let server, isOnline(person), let account = truth.accounts[person] else {
            return .unreachable
        }
        do {
            return .answered(try await command(server.network, account.caller))
        } catch let error as CommandError {
            // An older session ends. The person signs in again at the next refresh.
            if case .unauthenticated = error, now.since(account.refreshedAt) < .days(89) {
                note("unexpected", "\(name(person)) is not known: \(error)")
            }
            return .refused(error)
        } catch {
            if server.disk.condition == .fine, brokenPeople.isEmpty {
                note("unexpected", "a request of \(name(person)) failed: \(error)")
            }
            return .unreachable
        }
    }

    // MARK: Accounts

    func join(_ person: Int) async throws {
        guard let server, isOnline(person), truth.accounts[person] == nil,
            server.disk.condition == .fine,
            let tokens = try await signInByCode(person, deviceName: "Phone")
        else { return }
        try await welcome(person, tokens, server.network)
    }

    /// Enters a new account.
    func welcome(
        _ person: Int, _ tokens: IssuedTokens, _ network: SafetyNetwork
    ) async throws {
        _ = try await network.profiles.updateProfile(
            name: name(person), emergencyNote: nil, of: tokens.caller)
        let shown = try await network.qrCodes.qrCode(of: tokens.caller)
        identities[tokens.caller.userID] = person
        if let guest = truth.guests.removeValue(forKey: person) {
            if guest != tokens.caller.userID {
                note("invitation", "\(name(person)) signed up, and the relations did not stay")
            }
        } else {
            // A message on its way may have arrived after the former account's end.
            hearing.forgive { place, _ in place.endpoint.person == person }
        }
        truth.accounts[person] = Truth.Account(
            caller: tokens.caller, refreshToken: tokens.refreshToken, deadlineSince: now,
            refreshedAt: now)
        keep(tokens, person)
        truth.codes[person] = QRCodeID(shown.id)
        truth.gone[person] = nil
        truth.invited = truth.invited.filter { $0.key.responder != person }
        phones[person] = Phone(person: person)
    }

    /// Deletes the account. A request without a code, or with a wrong one, must delete nothing.
    func leave(_ person: Int) async {
        guard let number = try? phoneNumber(of: person), truth.accounts[person] != nil
        else { return }
        if await ask(person, { try await $0.accountDeletion.deleteAccount(of: $1) }).value != nil {
            note("leaving", "\(name(person))'s account was deleted without a code")
        }
        let address = "address of \(number)"
        guard
            let request = await ask(
                person, { try await $0.codes.requestDeletionCode(from: address, of: $1) }
            ).value, let code = world.notes.code(for: number)
        else { return }
        noteCode(to: number, of: person, isOwn: true)
        if luck(person, 31, below: 3) == 0 {
            let wrong = code == "000000" ? "000001" : "000000"
            let answer = await ask(person) {
                try await $0.accountDeletion.deleteAccount(of: $1, code: wrong, requestID: request)
            }
            if answer.value != nil {
                note("leaving", "\(name(person))'s account was deleted by a wrong code")
            }
        }
        truth.deletedAt = now
        let answer = await ask(person) {
            try await $0.accountDeletion.deleteAccount(of: $1, code: code, requestID: request)
        }
        guard answer.value != nil else { return }
        counts.deletions += 1
        forget(person)
    }

    func forget(_ person: Int) {
        if let user = truth.accounts[person]?.caller.userID { copyWatch.deleted.insert(user) }
        // The next pass compares the documents.
        copyWatch.comparedAt = .distantPast
        for alarm in truth.alarms where alarm.owner == person { finish(alarm.id) }
        let edges = Set(truth.roles.keys).union(truth.requests.keys)
        for edge in edges where edge.owner == person || edge.responder == person {
            set(edge, .absent)
        }
        truth.blocks = truth.blocks.filter { $0.key.blocker != person }
        truth.pings = truth.pings.filter { ![$0.key.responder, $0.key.owner].contains(person) }
        truth.invited = truth.invited.filter { ![$0.key.responder, $0.key.owner].contains(person) }
        hearing.forgive { place, _ in place.endpoint.person == person }
        truth.accounts[person] = nil
        truth.codes[person] = nil
        truth.stops[person] = nil
        truth.drills[person] = nil
        truth.keptCodes[person] = nil
        truth.gone[person] = now
        hearing.tokens[person] = nil
        let number = try? phoneNumber(of: person)
        truth.tickets.removeAll { $0.number != nil && $0.number == number }
        phones[person] = Phone(person: person)
    }

    func refresh(_ person: Int, answerLost: Bool) async throws {
        guard let account = truth.accounts[person] else { return }
        let token = account.refreshToken
        guard let server, isOnline(person), server.disk.condition == .fine else { return }
        do {
            let tokens = try await server.network.signIn.refresh(token)
            checkExpiry(of: account, person)
            // The server has replaced the access token.
            truth.accounts[person]?.accessToken = nil
            guard !answerLost else { return }
            keep(tokens, person)
        } catch let error as CommandError {
            if now.since(account.refreshedAt) > .days(90) { sights.insert("session: expired") }
            if now.since(account.refreshedAt) < .days(89) {
                note("signedIn", "\(name(person)) is signed out after a lost answer: \(error)")
            }
            try await signInAgain(person)
        } catch {
            note("unexpected", "a refresh failed: \(error)")
        }
    }

    /// Checks that the session was not too old. A message to one of its devices counts as use.
    private func checkExpiry(of account: Truth.Account, _ person: Int) {
        guard account.endpoints.isEmpty, account.endings.isEmpty,
            now.since(account.refreshedAt) > .days(91), isSure(since: account.refreshedAt)
        else { return }
        note("session", "\(name(person))'s session goes on after 91 days without use")
    }

    func signInAgain(_ person: Int) async throws {
        truth.accounts[person]?.accessToken = nil
        if let tokens = try await signInByCode(person, deviceName: "Phone") {
            adopt(tokens, person)
        } else {
            await useCode(person, isUsed: false)
        }
        // The server deletes endpoints with their session.
        await forgetEnded(person)
    }

    // MARK: Endpoints and settings

    func addEndpoint(_ person: Int) async {
        lastEndpoint += 1
        let endpoint = Endpoint(person: person, number: lastEndpoint)
        let id = PushEndpointID(world.makeID())
        // The registration may bring an alarm before its answer.
        hearing.added[endpoint] = now
        guard let url = endpoint.url,
            await ask(
                person,
                {
                    _ = try await $0.endpoints.savePushEndpoint(
                        id, kind: .webhook, url: url, of: $1)
                }
            )
            .value != nil
        else { return }
        truth.accounts[person]?.endpoints[endpoint.number] = id
        hearing.added[endpoint] = now
    }

    func removeEndpoint(_ person: Int) async {
        guard let (number, id) = truth.accounts[person]?.endpoints.min(by: { $0.key < $1.key }),
            await ask(person, { try await $0.endpoints.deletePushEndpoint(id, of: $1) }).value
                != nil
        else { return }
        truth.accounts[person]?.endpoints[number] = nil
    }

    func mute(_ person: Int, _ isMuted: Bool) async throws {
        let types = NotificationType.allCases.filter { $0 != .alert }
        let preferences = try NotificationPreferences(muted: isMuted ? Set(types) : [])
        let answer = await ask(person) {
            _ = try await $0.notifications.setPreferences(preferences, of: $1)
        }
        hearing.reminderChange[person] = now
        if answer.value != nil { truth.accounts[person]?.isMuted = isMuted }
    }

    func readAll(_ person: Int) async {
        hearing.acts[person] = now
        guard await ask(person, { try await $0.notifications.markAllRead(of: $1) }).value != nil
        else { return }
        hearing.read(person)
    }
}
