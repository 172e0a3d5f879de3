import Domain
import Foundation
import SafetyNetwork

/// Drills, sessions and profiles.
extension Simulator {
    // MARK: Drills

    func drill(_ person: Int) async {
        guard let server else { return }
        let id = DrillID(world.makeID())
        let before = truth.drills[person]
        let serverNow = server.clock.now()
        let answer = await ask(person, .startDrill) {
            try await $0.drills.startDrill(id, by: $1)
        }
        guard let drill = answer.value else { return }
        let isRight = now >= moments.clockWrongUntil.adding(.days(1)) && !moments.isMisled
        if let before, serverNow.since(before.at) < .hours(24), isRight, !moments.startedWrong {
            note("drill", "\(name(person)) started two drills within a day")
        }
        if truth.alarms.contains(where: { $0.owner == person }) {
            note("drill", "\(name(person)) started a drill during an alert")
        }
        for answer in drill.answers {
            guard let asked = identities[answer.personID],
                truth.roles[Edge(responder: asked, owner: person)] == nil
            else { continue }
            note("drill", "\(name(person))'s drill asks \(name(asked)), who has not agreed")
        }
        truth.drills[person] = (id, serverNow)
    }

    /// Answers a drill in the app, or by the link in the last message about one.
    func answerDrill(_ person: Int, of owner: Int, byLink: Bool) async {
        if byLink {
            for isByMail in [true, false] {
                let link = Hearing.Link(
                    page: .drill, reader: person, owner: owner, isByMail: isByMail)
                guard let secret = hearing.links[link] else { continue }
                let answer = await reach("\(name(person))'s link to a drill") {
                    _ = try await $0.guestDrills.guestDrill(by: secret.text)
                    return try await $0.guestDrills.answerDrill(by: secret.text)
                }
                if answer.value??.state == .asks {
                    note("drill", "\(name(person))'s answer to a drill did not count")
                }
                return
            }
        }
        guard let overview = await ask(person, { try await $0.drills.drills(of: $1) }).value,
            let question = overview.asked.first(where: { identities[$0.ownerID] == owner })
        else { return }
        if truth.roles[Edge(responder: person, owner: owner)] == nil {
            note("drill", "\(name(person)) is asked in \(name(owner))'s drill")
        }
        let answer = await ask(person) {
            try await $0.drills.answerDrill(question.id, by: .stream, of: $1)
        }
        guard answer.value?.answeredAt != nil, question.answeredAt == nil,
            let own = await ask(owner, { try await $0.drills.drills(of: $1) }).value?.own
        else { return }
        let entry = own.answers.first { identities[$0.personID] == person }
        if own.id == question.id, entry?.answeredAt == nil {
            note("drill", "\(name(owner)) does not see \(name(person))'s answer to the drill")
        }
    }

    func stopDrill(_ person: Int) async {
        guard let drill = truth.drills[person] else { return }
        let answer = await ask(person) { try await $0.drills.stopDrill(drill.id, by: $1) }
        if answer.value?.isRunning == true {
            note("drill", "\(name(person)) stopped the drill, and it goes on")
        }
    }

    // MARK: Sessions

    /// Signs in on another device, which the person uses from then on. The old device stays signed
    /// in.
    func signInElsewhere(_ person: Int) async throws {
        guard isOnline(person), truth.accounts[person] != nil,
            server?.disk.condition == .fine,
            let tokens = try await signInByCode(person, deviceName: "Tablet")
        else { return }
        adopt(tokens, person)
    }

    /// Ends every session but the current one, with its endpoints.
    func endOtherSessions(_ person: Int) async {
        guard let sessions = await ask(person, { try await $0.signIn.sessions(of: $1) }).value
        else {
            return
        }
        let hadMove = await hasMove(person)
        // The devices of the ended sessions are unknown from now on. The present one may be known.
        truth.accounts[person]?.knownNumber = nil
        for session in sessions where !session.isCurrent {
            _ = await ask(person) { try await $0.signIn.endSession(session.id, of: $1) }
        }
        await checkMove(of: person, hadMove: hadMove)
        await forgetEnded(person)
    }

    /// Ends a session by the link in an e-mail.
    func endSessionByMail(_ person: Int) async throws {
        let link = Hearing.Link(page: .session, reader: person, owner: person, isByMail: true)
        // A person who could not sign in again keeps the session.
        guard let secret = hearing.links[link], isOnline(person),
            server?.disk.condition == .fine, canSignIn(person)
        else { return }
        let hadMove = await hasMove(person)
        truth.accounts[person]?.knownNumber = nil
        let answer = await reach("\(name(person))'s link to a session") { network in
            _ = try await network.accountNews.linkedSession(by: secret.text)
            return try await network.accountNews.endLinkedSession(by: secret.text) != nil
        }
        await checkMove(of: person, hadMove: hadMove)
        guard answer.value == true, let caller = truth.accounts[person]?.caller,
            let known = try? await server?.network.signIn.sessions(of: caller)
        else { return }
        // A person whose own session has ended signs in.
        if !known.contains(where: { $0.id == caller.sessionID }) {
            try await signInAgain(person)
        }
        await forgetEnded(person)
    }

    /// Removes the endpoints of ended sessions. The server's list has the others.
    func forgetEnded(_ person: Int) async {
        guard let known = await ask(person, { try await $0.endpoints.pushEndpoints(of: $1) }).value,
            let account = truth.accounts[person]
        else { return }
        let left = Set(known.map(\.id))
        truth.accounts[person]?.endpoints = account.endpoints.filter { left.contains($0.value) }
        truth.accounts[person]?.endings = account.endings.filter { left.contains($0.value) }
    }

    // MARK: Profile

    func export(_ person: Int) async {
        let size = await ask(person) { network, caller in
            let stream = try await network.export.export(of: caller)
            var size = 0
            try await stream.write { size += $0.count }
            return size
        }
        if let size = size.value { trace.add(Int64(size)) }
    }

    func changeProfile(_ person: Int) async {
        let note = "Note \(now.milliseconds)"
        let answer = await ask(person, .updateProfile) {
            try await $0.profiles.updateProfile(name: nil, emergencyNote: note, of: $1)
        }
        guard let profile = answer.value else { return }
        truth.accounts[person]?.reading.note = note
        if profile.emergencyNote != note || profile.name != name(person) {
            self.note("durable", "\(name(person)) changed the note, and the answer is another")
        }
    }

    func orderResponders(_ person: Int) async {
        let responders = truth.roles.keys.filter { $0.owner == person }.map(\.responder).sorted()
        let ids = responders.reversed().compactMap { truth.accounts[$0]?.caller.userID }
        await ask(person) { try await $0.responderOrder.orderResponders(ids, of: $1) }
    }

    func clearPings(_ person: Int) async {
        guard let page = try? Page(limit: 50),
            let pings = await ask(person, { try await $0.pings.pings(of: $1, page: page) }).value
        else { return }
        for ping in pings {
            await ask(person) { _ = try await $0.pings.clearPing(ping.id, by: $1) }
        }
    }
}
