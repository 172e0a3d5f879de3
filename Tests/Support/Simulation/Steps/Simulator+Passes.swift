import Domain
import Foundation
import SafetyNetwork

/// Alert passes, canonical numbers, services that fail for everybody, and updates of iPhones.
extension Simulator {
    // MARK: Alert passes

    /// Gets a pass, which replaces the session's last one.
    func getPass(_ person: Int) async {
        guard let account = truth.accounts[person],
            let pass = await ask(
                person, { try await $0.alertPasses.issueAlertPass(to: $1) }
            ).value
        else { return }
        let session = account.caller.sessionID
        truth.accounts[person]?.pass = Truth.Pass(
            token: pass.token, session: session, madeAt: now)
        guard let old = account.pass, old.session == session else { return }
        let id = AlertID(world.makeID())
        let answer = await reach("an old pass of \(name(person))") {
            try await $0.alertPasses.redeem(
                alertPass: old.token, for: id, unlessRefused: nil)
        }
        if answer.value != nil {
            note("pass", "\(name(person))'s old pass works beside the new one")
        }
    }

    /// Lets the operating system send an alert with the pass.
    func usePass(_ person: Int, another: Bool) async {
        guard let account = truth.accounts[person], let pass = account.pass, server != nil,
            isOnline(person)
        else { return }
        let new = AlertID(world.makeID())
        let id = another ? new : pass.alert ?? new
        let answer = await reach("a pass of \(name(person))") { network in
            let caller = try await network.alertPasses.redeem(
                alertPass: pass.token, for: id, unlessRefused: nil)
            return try await network.alerts.raiseAlert(id, by: caller)
        }
        let isSure = isSure(since: pass.madeAt)
        let age = now.since(pass.madeAt)
        switch answer {
        case .answered(let record):
            sights.insert("pass: used")
            if isSure, age > Truth.Pass.lifetime + .minutes(1) {
                note("pass", "\(name(person))'s pass works after 7 days")
            }
            if let bound = pass.alert, bound != id {
                note("pass", "\(name(person))'s pass has raised two alerts")
            }
            if UserID(record.userId) != account.caller.userID {
                note("pass", "\(name(person))'s pass has raised another person's alert")
            }
            truth.accounts[person]?.pass?.alert = id
            guard let raised = AlertID(record.id) else { return }
            truth.accounts[person]?.raises.insert(raised)
            if record.isActive { phones[person].openAlert = raised }
        case .refused(let error):
            let isForThis = pass.alert.map { $0 == id } ?? true
            let isValid = isSure && age < Truth.Pass.lifetime - .minutes(1)
            if !isForThis { sights.insert("pass: for another alert") }
            guard isForThis, isValid, pass.session == account.caller.sessionID else { return }
            note("pass", "\(name(person))'s pass was refused: \(error)")
        case .unreachable:
            // The pass may be bound to this alert now.
            truth.accounts[person]?.pass = nil
        }
    }

    // MARK: Numbers

    /// How far the canonical form of a simulated number is from the stored one.
    private static let canonicalStep = 500

    /// Converts numbers as a newer server does at its first start. Some canonical forms belong to
    /// another account.
    func convertNumbers(oneOf share: Int) async {
        var forms: [PhoneNumber: PhoneNumber] = [:]
        var (changed, taken): ([Int], [Int]) = ([], [])
        for person in 0..<truth.people where mayConvert(person) {
            let other = (person + 1) % truth.people
            guard let old = try? phoneNumber(of: person) else { continue }
            if isConverted(person, share) {
                let index = truth.numbers[person, default: 0] + Self.canonicalStep
                forms[old] = try? Phone.number(index, of: person)
                changed.append(person)
            } else if luck(person, 42, below: 6) == 0, truth.accounts[person] != nil,
                truth.accounts[other] != nil, other != person, !isConverted(other, share),
                !truth.blocks.keys.contains(where: { $0.blocked == person })
            {
                forms[old] = try? phoneNumber(of: other)
                taken.append(person)
            }
        }
        let table = forms
        let answer = await reach("the canonical numbers") { network in
            try await network.numberForms.canonicaliseNumbers { table[$0] ?? $0 }
        }
        guard let outcome = answer.value else { return }
        guard !truth.areNumbersCanonical else {
            if outcome != NumberFormOutcome() {
                note("numbers", "the numbers were converted twice")
            }
            return
        }
        truth.areNumbersCanonical = true
        sights.insert("numbers: converted")
        let users = changed.count { truth.userID(of: $0) != nil }
        if outcome.changed != users || outcome.taken != taken.count {
            note(
                "numbers",
                "\(outcome.changed) numbers were converted and \(outcome.taken) were taken, not "
                    + "\(users) and \(taken.count)")
        }
        for person in changed {
            truth.numbers[person, default: 0] += Self.canonicalStep
            // The token names the old form.
            hearing.tokens[person] = nil
        }
        for person in taken { owe("Another account has your phone number", to: person) }
    }

    private func isConverted(_ person: Int, _ share: Int) -> Bool {
        mayConvert(person) && luck(person, 41, below: share) == 0
    }

    /// Leaves out numbers that wait for a change, and deleted accounts that somebody has blocked:
    /// the server has forgotten their number.
    private func mayConvert(_ person: Int) -> Bool {
        truth.accounts[person]?.move == nil
            && !truth.blocks.contains { block, blocked in
                block.blocked == person && truth.userID(of: person) != blocked.user
            }
    }

    // MARK: Services

    /// Upsets all endpoints of one service.
    func upset(_ service: Step.Service, _ trouble: Trouble, _ seconds: Int) {
        let end = now.adding(.seconds(seconds))
        if service == .carrier { return world.outside.carrierTrouble(trouble, until: end) }
        for person in truth.accounts.indices {
            if service == .mail { world.outside.trouble(.mail(person), trouble, until: end) }
            for number in (truth.accounts[person]?.endpoints.keys.sorted() ?? []) {
                let endpoint = Endpoint(person: person, number: number)
                guard
                    service == .push && endpoint.isApp
                        || service == .webhooks && endpoint.isWebhook
                else { continue }
                world.outside.trouble(endpoint, trouble, until: end)
            }
        }
    }

    /// Sends STOP, which the carrier handles. The server learns of it by the next refusal.
    func stopAtCarrier(_ person: Int) {
        guard truth.userID(of: person) != nil, truth.stops[person] == nil,
            !truth.isCorrespondent(person)
        else { return }
        world.outside.stopTexts(to: person)
    }

    // MARK: Updates of iPhones

    /// Records that a check-in without the phone has made the person's iPhones stale.
    /// - Parameter last: the last check-in before.
    func noteStale(_ person: Int, since last: Date?) {
        guard let account = truth.accounts[person], account.lastCheckIn != last else { return }
        for number in account.endpoints.keys.sorted() {
            let endpoint = Endpoint(person: person, number: number)
            guard endpoint.kind == .iPhone else { continue }
            let isWaiting = hearing.stale[endpoint].map { now.since($0) < .hours(1) } ?? false
            if !isWaiting { hearing.stale[endpoint] = now }
        }
    }

    /// Records that an iPhone was woken to update itself, which iOS allows only seldom.
    func woken(_ endpoint: Endpoint) {
        let person = endpoint.person
        sights.insert("iPhone: updated")
        hearing.stale[endpoint] = nil
        let last = hearing.woken.updateValue(now, forKey: person)
        guard let last, last != now, isClockSound, moments.runningSince < last,
            moments.clockWrongUntil < last, now.since(last) < .minutes(18)
        else { return }
        let hadTrouble = (truth.accounts[person]?.endpoints.keys.sorted() ?? []).contains {
            let trouble = world.outside.lastTrouble(Endpoint(person: person, number: $0))
            return trouble ?? .distantPast > last.adding(.hours(-1))
        }
        if !hadTrouble {
            note(
                "updates",
                "\(name(person))'s iPhones were woken twice in "
                    + Invariant.span(now, since: last))
        }
    }
}

extension Invariant {
    /// The pause between two updates, and room for the passes.
    private static let timeForAnUpdate: Duration = .minutes(25)

    static let updates: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for (endpoint, since) in world.hearing.stale.sorted(by: { $0.key < $1.key }) {
            guard world.now > since.adding(timeForAnUpdate),
                max(sound, world.runningSince, restored) < since,
                let account = world.truth.accounts[endpoint.person],
                account.endpoints[endpoint.number] != nil
            else { continue }
            let hadTrouble = account.endpoints.keys.contains { number in
                let own = Endpoint(person: endpoint.person, number: number)
                return world.lastTrouble(own) ?? .distantPast > since.adding(.hours(-1))
            }
            if hadTrouble { continue }
            return "\(endpoint) still shows the deadline of \(span(world.now, since: since)) ago"
        }
        return nil
    }
}
