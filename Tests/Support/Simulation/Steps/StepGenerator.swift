import Domain
import Foundation
import SeededGenerator

/// Generates steps: people mostly check in, and sometimes something else happens. Steps are data,
/// so a run can be repeated without the generator.
struct StepGenerator: Sendable {
    private var chance: SeededGenerator
    private let start: Date
    private let people: Int
    private var followUps: FollowUps
    private let kinds: [Kind]
    private let without: Set<String>
    private let habits: Habits
    private var planned: [TimedStep] = []
    /// Each person's last check-in that has a planned successor.
    private var plannedAfter: [Int: CheckInReason] = [:]
    private var reactedTo: Set<AlertID> = []
    private var answered: [Edge: Int] = [:]
    private var nextEvent: Int64 = 0

    /// What a planned check-in follows: the last one, or a change of times or of a pause.
    private struct CheckInReason: Equatable {
        var last: Date
        var deadline: Date?
        var plan: Truth.Plan
    }

    init(_ options: Simulator.Options) {
        chance = SeededGenerator(seed: options.seed ^ 0x57E9)
        start = SimulatedTime.start(of: options.seed)
        people = options.people
        followUps = FollowUps(seed: options.seed, people: options.people)
        habits = Habits(seed: options.seed)
        without = options.without.union(habits.off)
        kinds = habits.kinds.filter { !options.without.contains($0.label) }
        for person in 0..<max(people - habits.guests, 2) { plan(beginning(of: person)) }
        nextEvent = 4 * 3_600_000
    }

    mutating func next(after now: Date, _ truth: Truth) -> TimedStep {
        let now = now.since(start).milliseconds
        planCheckIns(after: now, truth)
        planReactions(after: now, truth)
        planAnswers(after: now, truth)
        if let first = planned.first, first.at <= max(nextEvent, now) {
            planned.removeFirst()
            return TimedStep(max(first.at, now), first.step)
        }
        let at = max(nextEvent, now)
        nextEvent =
            at
            + milliseconds(
                hours: -log(Double.random(in: 0.0001..<1, using: &chance)) * habits.hoursBetween)
        return TimedStep(at, event(at, truth))
    }

    // MARK: Plans

    private mutating func plan(_ steps: [TimedStep]) {
        let allowed = steps.filter { !without.contains($0.step.label) }
        planned = (planned + allowed).sorted { $0.at < $1.at }
    }

    /// Lets everyone sign up in the first hour and become a responder of the two previous people.
    private mutating func beginning(of person: Int) -> [TimedStep] {
        let start = Int64(person) * 60_000 + Int64.random(in: 0..<50_000, using: &chance)
        var steps = [
            TimedStep(start, .join(person)),
            TimedStep(start + 2_000, .checkIn(person, answerLost: false)),
        ]
        if !person.isMultiple(of: 4) {
            let kind = habits.devices.randomElement(using: &chance) ?? .webhook
            steps.append(
                TimedStep(
                    start + 3_000,
                    kind == .webhook ? .addEndpoint(person) : .addApp(person, kind)))
        }
        if chance.isBelow(habits.shareWithMail) {
            steps.append(TimedStep(start + 6_000, .setMail(person)))
            steps.append(TimedStep(start + 16_000, .confirmMail(person, isRight: true)))
        }
        if chance.isBelow(habits.shareWithTimes) {
            let step = Step.setTimes(
                person, Step.Place.allCases.pick(&chance),
                windows: Int.random(in: 0..<1_000_000, using: &chance))
            steps.append(TimedStep(start + 7_000, step))
        } else if chance.isBelow(0.05) {
            steps.append(TimedStep(start + 7_000, .setNone(person)))
        } else if chance.isBelow(0.2) {
            let step = Step.setSleep(
                person, Step.Place.allCases.pick(&chance),
                hours: Int.random(in: 0..<1_000_000, using: &chance))
            steps.append(TimedStep(start + 7_000, step))
        }
        if chance.isBelow(habits.shareWithAnswers) {
            let step = Step.setLastCall(
                person, message: true, Step.Calling.allCases.pick(&chance), answers: true)
            steps.append(TimedStep(start + 8_000, step))
        }
        for (index, other) in [person - 1, person - 2].enumerated() where other >= 0 {
            let at = start + 4_000 + 1_000 * Int64(index)
            steps.append(TimedStep(at, .seeCode(person, of: other)))
            steps.append(TimedStep(at + 500, .scan(person, codeOf: other, both: false)))
        }
        return steps
    }

    private mutating func planCheckIns(after now: Int64, _ truth: Truth) {
        for (person, account) in truth.accounts.enumerated() {
            guard let account, let last = account.lastCheckIn else { continue }
            let isPlain = account.plan == .interval && account.first == nil
            let reason = CheckInReason(
                last: last, deadline: isPlain ? nil : account.deadline, plan: account.plan)
            guard plannedAfter[person] != reason else { continue }
            plannedAfter[person] = reason
            if !isPlain {
                plan(checkIns(of: person, account, after: now))
                continue
            }
            let luck = Double.random(in: 0..<1, using: &chance)
            let factor =
                luck < 0.965
                ? Double.random(in: 0.5..<0.97, using: &chance)
                : luck < 0.985
                    ? Double.random(in: 1..<1.4, using: &chance)
                    : Double.random(in: 1.4..<3.5, using: &chance)
            let after = Int64(Double(account.interval.milliseconds) * factor)
            let lost = chance.isBelow(0.03)
            plan([TimedStep(now + after, .checkIn(person, answerLost: lost))])
            if luck >= 0.965, let deadline = account.deadline, chance.isBelow(0.3) {
                plan([answerToLastCall(of: person, deadline)])
            }
        }
    }

    /// Plans the check-in of a person with times, without deadlines, or after a pause.
    private mutating func checkIns(
        of person: Int, _ account: Truth.Account, after now: Int64
    ) -> [TimedStep] {
        let step = Step.checkIn(person, answerLost: chance.isBelow(0.03))
        let hour: Int64 = 3_600_000
        guard let deadline = account.deadline else {
            return [TimedStep(now + Int64.random(in: hour..<72 * hour, using: &chance), step)]
        }
        let end = deadline.since(start).milliseconds
        let opening = account.opening.map { $0.since(start).milliseconds } ?? 0
        let luck = Double.random(in: 0..<1, using: &chance)
        if luck < 0.08, opening > now + 60_000 {
            return [TimedStep(Int64.random(in: now..<opening, using: &chance), step)]
        }
        if luck < 0.9, end > now + 60_000 {
            let begin = max(now, opening)
            return [TimedStep(Int64.random(in: begin..<max(end, begin + 1), using: &chance), step)]
        }
        // Forgets the window.
        let late = max(now, end) + Int64.random(in: 60_000..<30 * hour, using: &chance)
        return [TimedStep(late, step)]
            + (chance.isBelow(0.4) ? [answerToLastCall(of: person, deadline)] : [])
    }

    private mutating func answerToLastCall(of person: Int, _ deadline: Date) -> TimedStep {
        let before = Int64.random(in: -60_000..<570_000, using: &chance)
        let words: [Step.Words] = [.one, .fine, .onIt]
        return TimedStep(
            max(deadline.since(start).milliseconds - before, 0),
            .text(person, words.pick(&chance)))
    }

    /// Plans whether a responder acknowledges the alert, and when its owner ends it.
    private mutating func planReactions(after now: Int64, _ truth: Truth) {
        for alarm in truth.alarms where reactedTo.insert(alarm.id).inserted {
            var steps: [TimedStep] = []
            let responders = truth.responders(of: alarm.owner)
            if chance.isBelow(0.6), let responder = responders.randomElement(using: &chance) {
                var at = now + milliseconds(hours: Double.random(in: 0..<0.8, using: &chance))
                steps.append(TimedStep(at, acceptance(of: responder, alarm.owner)))
                while chance.isBelow(0.6) {
                    at += milliseconds(hours: Double.random(in: 0.1..<0.9, using: &chance))
                    let again = responders.randomElement(using: &chance) ?? responder
                    steps.append(TimedStep(at, act(of: responder, or: again, on: alarm.owner)))
                }
            }
            if chance.isBelow(0.15), let responder = responders.randomElement(using: &chance) {
                // Trouble matters most during an alert.
                let at = now + milliseconds(hours: Double.random(in: 0..<1, using: &chance))
                let trouble = [Trouble.down, .down, .gone, .deaf].randomElement(using: &chance)
                let seconds = [5, 600, 8 * 3_600].randomElement(using: &chance)
                let step = Step.endpointTrouble(responder, trouble ?? .down, seconds: seconds ?? 5)
                steps.append(TimedStep(at, step))
            }
            if habits.hurries, !responders.isEmpty, chance.isBelow(0.7) {
                steps += rush(on: alarm.owner, responders, after: now)
            }
            if alarm.kind == .missedCheckIn, chance.isBelow(0.1) {
                let at = now + milliseconds(hours: Double.random(in: 0..<6, using: &chance))
                steps.append(TimedStep(at, .setInterval(alarm.owner, minutes: 10_080)))
            }
            if alarm.kind == .missedCheckIn, chance.isBelow(0.3),
                let last = truth.accounts[alarm.owner]?.lastCheckIn
            {
                // Lets another deadline pass while the alert is open.
                let at = now + milliseconds(hours: Double.random(in: 0..<0.3, using: &chance))
                let since = start.adding(.milliseconds(at)).since(last)
                let more = Int.random(in: 30...240, using: &chance)
                let minutes = min(Int(since.milliseconds / 60_000) + more, 10_080)
                steps.append(TimedStep(at, .setInterval(alarm.owner, minutes: minutes)))
            }
            if alarm.kind == .journey {
                let hours = chance.isBelow(0.3) ? 4.0..<30 : 0.01..<1
                let at = now + milliseconds(hours: Double.random(in: hours, using: &chance))
                let step: Step =
                    chance.isBelow(0.2)
                    ? .extendJourney(alarm.owner, minutes: 30) : .arrive(alarm.owner)
                steps.append(TimedStep(at, step))
            }
            if alarm.kind == .manual {
                let hours = chance.isBelow(0.2) ? 20.0..<40 : 0.01..<3
                let at = now + milliseconds(hours: Double.random(in: hours, using: &chance))
                steps.append(TimedStep(at, .end(alarm.owner)))
            }
            plan(steps)
        }
    }

    /// Lets an open alert's people act several times within a quarter of an hour.
    private mutating func rush(
        on owner: Int, _ responders: [Int], after now: Int64
    ) -> [TimedStep] {
        let kinds = Kind.rush.filter { !without.contains($0.label) }
        var steps: [TimedStep] = []
        var at = now + Int64.random(in: 5_000..<60_000, using: &chance)
        while at < now + 900_000, steps.count < 3 || chance.isBelow(0.85) {
            let one = responders.randomElement(using: &chance) ?? owner
            let step = kinds.pick(&chance, one, owner)
            if let step { steps.append(TimedStep(at, step)) }
            at += Int64.random(in: 30_000...90_000, using: &chance)
        }
        return steps
    }

    private mutating func acceptance(of one: Int, _ owner: Int) -> Step {
        let ways: [Step] = [
            .acknowledge(one, of: owner), .acknowledge(one, of: owner), .text(one, .one),
            .text(one, .onIt), .press(one, .onIt, of: owner, byMail: false),
            .press(one, .onIt, of: owner, byMail: true),
        ]
        let allowed = ways.filter { !without.contains($0.label) }
        return allowed.randomElement(using: &chance) ?? .acknowledge(one, of: owner)
    }

    private mutating func act(of one: Int, or other: Int, on owner: Int) -> Step {
        let report = AlertReport.allCases.randomElement(using: &chance) ?? .withThem
        let acts: [Step] = [
            .acknowledge(one, of: owner), .acknowledge(one, of: owner),
            acceptance(of: one, owner), acceptance(of: other, owner),
            .withdraw(one, from: owner), .report(one, report, on: owner),
            .report(other, report, on: owner), .resume(other, on: owner),
            .refuse(one, of: owner), .refuse(other, of: owner), .text(one, .two),
            .text(other, .cannot), .press(other, .cannot, of: owner, byMail: chance.isBelow(0.3)),
            .press(other, .again, of: owner, byMail: false), .look(other, at: owner),
        ]
        let allowed = acts.filter { !without.contains($0.label) }
        return allowed.randomElement(using: &chance) ?? .acknowledge(one, of: owner)
    }

    /// Plans the answers to requests, mostly within a day.
    private mutating func planAnswers(after now: Int64, _ truth: Truth) {
        answered = answered.filter { truth.requests[$0.key] == $0.value }
        let edges = truth.requests.keys.sorted {
            ($0.owner, $0.responder) < ($1.owner, $1.responder)
        }
        for edge in edges {
            guard let asker = truth.requests[edge], answered[edge] == nil else { continue }
            answered[edge] = asker
            let other = edge.owner == asker ? edge.responder : edge.owner
            let steps: [Step] = [
                .accept(other, from: asker), .accept(other, from: asker),
                .decline(other, from: asker), .takeBack(asker, from: other),
                .block(other, asker),
            ]
            let step = steps.randomElement(using: &chance) ?? steps[0]
            let at = now + milliseconds(hours: Double.random(in: 0..<30, using: &chance))
            plan([TimedStep(at, step)])
        }
    }

    private func milliseconds(hours: Double) -> Int64 { Int64(hours * 3_600_000) }

    // MARK: Events

    private mutating func event(_ at: Int64, _ truth: Truth) -> Step {
        let present = truth.accounts.indices.filter { truth.accounts[$0] != nil }
        if let absent = (0..<truth.people).first(where: { truth.accounts[$0] == nil }),
            chance.isBelow(habits.shareOfJoins)
        {
            return .join(absent)
        }
        guard let one = present.randomElement(using: &chance) else { return .join(0) }
        if habits.guests > 0, chance.isBelow(0.05),
            let absent = (0..<truth.people).filter({ truth.accounts[$0] == nil })
                .randomElement(using: &chance)
        {
            let host = present.randomElement(using: &chance) ?? one
            if let step = Kind.withGuests.filter({ !without.contains($0.label) })
                .pick(&chance, absent, host)
            {
                return follow(step, at)
            }
        }
        let other = other(than: one, present)
        if let step = kinds.pick(&chance, one, other) { return follow(step, at) }
        return .checkIn(one, answerLost: false)
    }

    /// Returns another person, often a neighbour, who is a contact from the start.
    private mutating func other(than one: Int, _ present: [Int]) -> Int {
        if chance.isBelow(0.6) {
            return (one + [1, 2, people - 1, people - 2][Int.random(in: 0..<4, using: &chance)])
                % people
        }
        return present.randomElement(using: &chance) ?? one
    }

    private mutating func follow(_ step: Step, _ at: Int64) -> Step {
        plan(followUps.steps(after: step, at))
        return step
    }
}
