import Domain
import Foundation
import SafetyNetwork

/// Journeys. "Later" and "I have arrived" wait on a phone without a connection.
extension Simulator {
    /// - Parameter count: how many responders are chosen; 0 for all.
    func startJourney(
        _ person: Int, minutes: Int, grace: Int, chosen count: Int, tells: Bool
    ) async {
        guard let before = truth.accounts[person] else { return }
        let accepted = truth.roles.keys.filter { $0.owner == person }.map(\.responder).sorted()
        let first = accepted.isEmpty ? 0 : luck(person, 43, below: accepted.count)
        let chosen: [Int]? =
            count == 0 || accepted.isEmpty
            ? nil : (0..<min(count, accepted.count)).map { accepted[(first + $0) % accepted.count] }
        let draft = JourneyDraft(
            id: JourneyID(world.makeID()), name: Truth.Journey.name,
            expectedReturn: now.adding(.minutes(minutes)), graceMinutes: grace,
            note: Truth.Journey.note, responders: chosen?.compactMap { truth.userID(of: $0) },
            tellsResponders: tells)
        let answer = await ask(person) { try await $0.journeys.start(draft, of: $1) }
        let wasRunning = before.journey?.isRunning ?? false
        if case .refused(let error) = answer, !wasRunning, !accepted.isEmpty, isClockSound, !tells {
            note("journey", "\(name(person))'s journey was refused: \(error)")
        }
        guard let profile = answer.value else { return }
        if wasRunning || profile.journey?.id != draft.id
            || profile.journey?.expectedReturn != draft.expectedReturn
        {
            note("journey", "\(name(person)) started a journey, and another one runs")
        }
        truth.accounts[person]?.journey = Truth.Journey(
            id: draft.id, expectedReturn: draft.expectedReturn, grace: .minutes(grace),
            chosen: chosen.map { Set($0) }, tells: tells, changedAt: now)
        sights.insert(chosen == nil ? "journey: for all" : "journey: for the chosen")
        if tells { expectNews(.journeyStarted, of: person, chosen.map { Set($0) }) }
    }

    func extendJourney(_ person: Int, minutes: Int) async {
        guard let journey = truth.accounts[person]?.journey, journey.isRunning else { return }
        let until = max(journey.expectedReturn, now).adding(.minutes(minutes))
        await press(.extendJourney(journey.id, until: until, at: deviceTime(of: person)), person)
    }

    func arrive(_ person: Int) async {
        guard let journey = truth.accounts[person]?.journey, journey.isRunning else { return }
        await press(.endJourney(journey.id, at: deviceTime(of: person)), person)
    }

    private func deviceTime(of person: Int) -> Date { now.adding(phones[person].clockError) }

    private func press(_ kind: Phone.Queued.Kind, _ person: Int) async {
        let isLost = luck(person, 47, below: 10) == 0
        phones[person].add(Phone.Queued(kind: kind, losesAnswer: isLost))
        await flush(person)
    }

    // MARK: Sending

    /// Sends a later return. Returns whether it was answered.
    func send(
        later until: Date, _ id: JourneyID, pressedAt: Date, of person: Int, _ item: Phone.Queued
    ) async -> Bool {
        let sentAt = deviceTime(of: person)
        let answer = await ask(person) {
            try await $0.journeys.extend(
                id, until: until, pressedAt: pressedAt, sentAt: sentAt, of: $1)
        }
        return await settle(answer, id, person, item) { profile in
            moved(person, to: until, profile)
        }
    }

    /// Sends an arrival. Returns whether it was answered.
    func send(
        arrival id: JourneyID, pressedAt: Date, of person: Int, _ item: Phone.Queued
    ) async -> Bool {
        let sentAt = deviceTime(of: person)
        let answer = await ask(person) {
            try await $0.journeys.end(id, pressedAt: pressedAt, sentAt: sentAt, of: $1)
        }
        if sentAt.since(pressedAt) > .minutes(1) { sights.insert("journey: late arrival") }
        let counted = now.adding(.zero - max(sentAt.since(pressedAt), .zero))
        return await settle(answer, id, person, item) { profile in
            ended(person, profile, pressedAt: min(pressedAt, counted))
        }
    }

    private func settle(
        _ answer: Answer<UserProfile>, _ id: JourneyID, _ person: Int, _ item: Phone.Queued,
        _ enter: (UserProfile) -> Void
    ) async -> Bool {
        switch answer {
        case .unreachable: return false
        case .refused(.rateLimited): return false
        case .refused(let error):
            if case .notFound = error, truth.accounts[person]?.journey?.id == id,
                truth.accounts[person]?.journey?.isRunning == true
            {
                note("journey", "\(name(person))'s journey is not found")
            }
            return true
        case .answered(let profile):
            if truth.accounts[person]?.journey?.id == id { enter(profile) }
            return keeps(item, of: person)
        }
    }

    private func moved(_ person: Int, to until: Date, _ profile: UserProfile) {
        guard var journey = truth.accounts[person]?.journey else { return }
        guard journey.isRunning else {
            if profile.journey != nil {
                note("journey", "\(name(person)) has arrived, and is on a journey again")
            }
            return
        }
        if profile.journey?.expectedReturn != until {
            note("journey", "\(name(person)) chose a later return, and the answer has another")
        }
        guard journey.expectedReturn != until else { return }
        (journey.expectedReturn, journey.changedAt) = (until, now)
        truth.accounts[person]?.journey = journey
        settleNews(.journeyLater, of: person, journey)
    }

    /// - Parameter press: the earliest time at which the server may place the press. The device's
    ///   clock may have been set since then.
    private func ended(_ person: Int, _ profile: UserProfile, pressedAt press: Date) {
        if profile.journey != nil {
            guard press >= truth.accounts[person]?.journey?.changedAt ?? press else { return }
            note("journey", "\(name(person)) has arrived, and is still on the journey")
        }
        guard let journey = truth.accounts[person]?.journey, journey.isRunning else { return }
        truth.accounts[person]?.journey?.endedAt = now
        settleNews(.journeyEnded, of: person, journey)
    }

    /// Expects news for those who see the journey. If an alert is open, its end is the news.
    private func settleNews(_ news: ScheduleNews, of person: Int, _ journey: Truth.Journey) {
        handledJourneys[person] = now
        if truth.alarm(of: person, .journey) != nil {
            sights.insert("journey: \(news == .journeyEnded ? "arrival" : "later") ends an alert")
        } else if journey.tells {
            expectNews(news, of: person, journey.chosen)
        }
    }
}

extension ScheduleNews {
    var isOfJourney: Bool {
        switch self {
        case .journeyStarted, .journeyLater, .journeyEnded: true
        case .longerSilence, .pauseBegan, .pauseChanged, .pauseEnded: false
        }
    }
}
