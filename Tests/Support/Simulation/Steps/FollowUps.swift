import Domain
import Foundation
import SeededGenerator

/// Plans the later steps of a step, without which it wouldn't matter: answers, changes of mind, and
/// what happens meanwhile.
struct FollowUps: Sendable {
    var chance: SeededGenerator
    let people: Int
    private var planned: [TimedStep] = []

    init(seed: UInt64, people: Int) {
        chance = SeededGenerator(seed: seed ^ 0xF011)
        self.people = people
    }

    mutating func steps(after step: Step, _ at: Int64) -> [TimedStep] {
        planned = []
        planSteps(after: step, at)
        return planned
    }

    private mutating func plan(_ steps: [TimedStep]) { planned += steps }

    func milliseconds(hours: Double) -> Int64 { Int64(hours * 3_600_000) }

    private mutating func planSteps(after step: Step, _ at: Int64) {
        switch step {
        case .breakRow(.pings, let one, _):
            plan([TimedStep(at + 60_000, .ping((one + 1) % people, one))])
        case .remove(let one, let other):
            let later = at + milliseconds(hours: Double.random(in: 0..<2, using: &chance))
            if chance.isBelow(0.5) {
                plan([TimedStep(later, .scan(other, codeOf: one, both: false))])
            }
        case .answerInvitation(let one, let owner, isYes: true) where chance.isBelow(0.3):
            // The old link must not bring the removed person back.
            let removal = at + milliseconds(hours: Double.random(in: 0..<6, using: &chance))
            let comeback = removal + milliseconds(hours: Double.random(in: 0..<6, using: &chance))
            plan([
                TimedStep(removal, .remove(owner, one)),
                TimedStep(comeback, .answerInvitation(one, from: owner, isYes: true)),
            ])
        case .setRoles(let one, let other, isResponder: true, _) where chance.isBelow(0.3):
            // An alert that comes before the answer counts only those who have accepted.
            let alert = at + Int64.random(in: 1_000..<1_800_000, using: &chance)
            plan([
                TimedStep(at + 1, .addEndpoint(other)),
                TimedStep(alert, .raise(one, answerLost: false)),
            ])
        case .block(let one, let other):
            let later = at + milliseconds(hours: Double.random(in: 0..<30, using: &chance))
            let next: [Step] = [
                .seeCode(other, of: one), .scan(other, codeOf: one, both: false),
                .ping(other, one), .unblock(one, other), .scan(one, codeOf: other, both: false),
            ]
            plan(next.map { TimedStep(later, $0) })
        case .browse(let one, .events):
            // Later streams resume where this one ends.
            for hours: Int64 in [1, 9, 40] {
                plan([TimedStep(at + hours * 3_600_000, .browse(one, .events))])
            }
        case .browse(let one, .notifications):
            plan([TimedStep(at + 20 * 3_600_000, .browse(one, .notifications))])
        case .ping(let one, let other):
            plan([
                TimedStep(at + 60_000, .browse(other, .pings)),
                TimedStep(at + 3_600_000, .browse(one, .pings)),
            ])
        case .drill(let one):
            plan([
                TimedStep(at + 60_000, .browse((one + 1) % people, .drills)),
                TimedStep(at + 120_000, .browse(one, .drills)),
                TimedStep(at + 900_000, .browse(one, .drills)),
            ])
            for _ in 0..<Int.random(in: 0...4, using: &chance) {
                let responder = (one + [1, 2].pick(&chance)) % people
                let later = at + Int64.random(in: 1_000..<660_000, using: &chance)
                let answers: [Step] = [
                    .answerDrill(responder, of: one, byLink: false),
                    .answerDrill(responder, of: one, byLink: true), .text(responder, .one),
                    .stopDrill(one), .raise(one, answerLost: false),
                ]
                plan([TimedStep(later, answers.pick(&chance))])
            }
        case .signInElsewhere(let one):
            let later = at + milliseconds(hours: Double.random(in: 0..<20, using: &chance))
            let next: [Step] = [.endOtherSession(one), .endSessionByMail(one)]
            plan([TimedStep(later, next.pick(&chance))])
        case .invite(let one, let other):
            if chance.isBelow(0.2) {
                // The end of a role by a code ends the invitation that was still open.
                plan([
                    TimedStep(at + 60_000, .seeCode(other, of: one)),
                    TimedStep(at + 61_000, .scan(other, codeOf: one, both: false)),
                    TimedStep(at + 120_000, .remove(one, other)),
                    TimedStep(at + 180_000, .answerInvitation(other, from: one, isYes: true)),
                ])
            }
            for _ in 0..<Int.random(in: 0...3, using: &chance) {
                let later = at + milliseconds(hours: Double.random(in: 0..<40, using: &chance))
                let isYes = chance.isBelow(0.75)
                plan([TimedStep(later, .answerInvitation(other, from: one, isYes: isYes))])
            }
        case .setMail(let one):
            let later = at + milliseconds(hours: Double.random(in: 0..<0.2, using: &chance))
            plan([TimedStep(later, .confirmMail(one, isRight: chance.isBelow(0.9)))])
        case .pause(let one, let minutes):
            let end = at + Int64(minutes) * 60_000
            let next: [Step] = [
                .endPause(one), .endPause(one), .endPause(one),
                .pause(one, minutes: minutes / 2 + 60),
                .checkIn(one, answerLost: false), .setNone(one), .setInterval(one, minutes: 1_440),
                .setTimes(one, Step.Place.allCases.pick(&chance), windows: minutes),
            ]
            for _ in 0..<Int.random(in: 0...2, using: &chance) {
                let later = Int64.random(in: at..<end, using: &chance)
                plan([TimedStep(later, next.pick(&chance))])
            }
        case .startJourney(let one, let minutes, let grace, _, _):
            plan(way(of: one, minutes: minutes, grace: grace, from: at))
        case .addSource(let one):
            let later = at + milliseconds(hours: Double.random(in: 0..<2, using: &chance))
            plan([TimedStep(later, .useSource(one, isRemoved: false))])
        case .useSource(let one, false) where chance.isBelow(0.3):
            let later = at + Int64.random(in: 1_000..<90_000, using: &chance)
            plan([TimedStep(later, .useSource(one, isRemoved: false))])
        case .removeSource(let one):
            let later = at + Int64.random(in: 1..<3_600_000, using: &chance)
            plan([TimedStep(later, .useSource(one, isRemoved: true))])
        case .text(let one, .stop):
            let later = at + milliseconds(hours: Double.random(in: 0..<30, using: &chance))
            plan([TimedStep(later, .text(one, .start))])
        case .press(let one, .stop, let owner, let isByMail) where chance.isBelow(0.6):
            // The link undoes it for a day.
            let later = at + milliseconds(hours: Double.random(in: 0..<30, using: &chance))
            plan([TimedStep(later, .press(one, .undo, of: owner, byMail: isByMail))])
        case .lock(let one): plan(lockedLife(of: one, from: at))
        case .move(let one, false):
            if chance.isBelow(0.4) {
                let later = at + milliseconds(hours: Double.random(in: 0..<24, using: &chance))
                plan([TimedStep(later, .stopMove(one))])
            }
            let later = at + milliseconds(hours: Double.random(in: 24..<26, using: &chance))
            plan([TimedStep(later, .signInElsewhere(one)), TimedStep(later, .readActs(one))])
        case .testPerson, .moveOut, .makeGroupToken: plan(deskWork(after: step, at))
        case .makeToken(let one):
            if chance.isBelow(0.3) {
                let later = at + milliseconds(hours: Double.random(in: 0..<40, using: &chance))
                plan([TimedStep(later, .revokeToken(one)), TimedStep(later, .listTokens(one))])
            }
            for _ in 0..<Int.random(in: 0...2, using: &chance) {
                let later = at + milliseconds(hours: Double.random(in: 0..<60, using: &chance))
                plan([TimedStep(later, .useToken(one))])
            }
        case .rotateKey(false) where chance.isBelow(0.6):
            let later = at + milliseconds(hours: Double.random(in: 0..<48, using: &chance))
            plan([TimedStep(later, .rotateKey(forgets: true))])
        case .signInLock(let one, true, _): plan(lockedSignIns(of: one, from: at))
        case .makeCodes(let one):
            for isUsed in [false, true] where chance.isBelow(0.5) {
                let later = at + milliseconds(hours: Double.random(in: 0..<60, using: &chance))
                plan([TimedStep(later, .useCode(one, isUsed: isUsed))])
            }
            if chance.isBelow(0.2) {
                let later = at + milliseconds(hours: Double.random(in: 0..<60, using: &chance))
                plan([TimedStep(later, .move(one, byCode: true))])
            }
        case .mistake(let one, _, _):
            for count in 1...3 {
                let other = Int.random(in: 0..<people, using: &chance)
                let next = Step.Mistake.allCases.pick(&chance)
                plan([TimedStep(at + 2_000 * Int64(count), .mistake(one, other: other, next))])
            }
        case .changeNumber(let one, .right):
            let later = at + milliseconds(hours: Double.random(in: 0..<160, using: &chance))
            let next: [Step] = [.stopMove(one), .signInElsewhere(one), .changeNumber(one, .right)]
            plan([TimedStep(later, next.pick(&chance)), TimedStep(later, .readActs(one))])
        case .guessCode(let one, _):
            // Now the person's own device may be known.
            for _ in 0..<Int.random(in: 0...4, using: &chance) {
                let later = at + Int64.random(in: 60_000..<3 * 3_600_000, using: &chance)
                let times = Int.random(in: 4...8, using: &chance)
                plan([TimedStep(later, .floodCodes(one, times: times))])
            }
            plan([useOfSession(of: one, after: at)])
        case .keepCode(let one):
            let pause = chance.isBelow(0.4) ? 1_000..<290_000 : 303_000..<1_800_000
            let later = at + Int64(Int.random(in: pause, using: &chance))
            plan([TimedStep(later, .enterKeptCode(one)), useOfSession(of: one, after: later)])
        case .addPasskey(let one):
            for _ in 0..<Int.random(in: 1...4, using: &chance) {
                let later = at + milliseconds(hours: Double.random(in: 0..<60, using: &chance))
                plan([TimedStep(later, .usePasskey(one, Step.PasskeyUse.allCases.pick(&chance)))])
            }
            if chance.isBelow(0.4) {
                let later = at + milliseconds(hours: Double.random(in: 0..<90, using: &chance))
                plan([TimedStep(later, .removePasskey(one))])
            }
        case .removePasskey(let one):
            let later = at + Int64.random(in: 1..<3_600_000, using: &chance)
            plan([TimedStep(later, .usePasskey(one, .removed))])
        case .wallClock(_, let seconds) where seconds >= 600: plan(wrongClock(seconds, from: at))
        case .copyTrouble(_, let seconds):
            let end = at + Int64(seconds) * 1_000
            for _ in 0..<Int.random(in: 0...4, using: &chance) {
                let later = Int64.random(in: at..<end, using: &chance)
                let one = Int.random(in: 0..<people, using: &chance)
                plan([TimedStep(later, Step.duringCopyTrouble(of: one, &chance))])
            }
        case .raiseAndEnd(let one, _) where chance.isBelow(0.5):
            // The next person is their responder.
            plan([TimedStep(at + 1_000, .endpointTrouble((one + 1) % people, .down, seconds: 5))])
        default: plan(letters(after: step, at))
        }
    }

    /// Returns the later steps of a journey. Most people arrive in time, some of them offline.
    private mutating func way(
        of person: Int, minutes: Int, grace: Int, from at: Int64
    ) -> [TimedStep] {
        let back = at + Int64(minutes) * 60_000
        let luck = Double.random(in: 0..<1, using: &chance)
        var steps: [TimedStep] = []
        if luck < 0.25 {
            let press = Int64.random(in: at..<(back + Int64(grace) * 60_000 + 1), using: &chance)
            steps.append(
                TimedStep(press, .extendJourney(person, minutes: [1, 30, 90].pick(&chance))))
        }
        // Forgets it.
        guard luck < 0.75 else { return steps }
        let arrival = Int64.random(in: at..<back, using: &chance)
        if chance.isBelow(0.25) {
            let seconds = [600, 3_600, 3 * 3_600].pick(&chance)
            steps.append(TimedStep(max(at, arrival - 1_000), .offline(person, seconds: seconds)))
        }
        steps.append(TimedStep(arrival, .arrive(person)))
        return steps
    }

    /// Returns what a person does whose account is locked, until it is unlocked.
    private mutating func lockedLife(of one: Int, from at: Int64) -> [TimedStep] {
        let end = at + milliseconds(hours: Double.random(in: 1..<72, using: &chance))
        let acts: [Step] = [
            .checkIn(one, answerLost: false), .raise(one, answerLost: false), .end(one),
            .invite(one, (one + 5) % people), .changeProfile(one), .ping(one, (one + 1) % people),
            .setRoles(one, of: (one + 1) % people, isResponder: true, isDependent: false),
            .readActs(one),
        ]
        var steps: [TimedStep] = []
        for _ in 0..<4 {
            let later = Int64.random(in: at..<end, using: &chance)
            steps.append(TimedStep(later, acts.pick(&chance)))
        }
        return steps + [TimedStep(end, .unlock(one))]
    }

    /// Returns the sign-ins at a locked account. The second code comes just after its wait, or
    /// while it waits.
    private mutating func lockedSignIns(of one: Int, from at: Int64) -> [TimedStep] {
        let hour: Int64 = 3_600_000
        var steps: [TimedStep] = []
        if chance.isBelow(0.5) { steps.append(TimedStep(at + hour / 4, .makeCodes(one))) }
        guard chance.isBelow(0.7) else { return steps }
        let first = at + Int64.random(in: hour..<48 * hour, using: &chance)
        let between = chance.isBelow(0.5) ? 168 * hour..<190 * hour : hour..<168 * hour
        let second = first + Int64.random(in: between, using: &chance)
        steps.append(TimedStep(first, .enterCode(one)))
        if chance.isBelow(0.3) {
            let stop = Int64.random(in: first..<second, using: &chance)
            steps.append(TimedStep(stop, .stopWait(one)))
        }
        if chance.isBelow(0.3) {
            let off = Int64.random(in: first..<second, using: &chance)
            let isByCode = chance.isBelow(0.5)
            steps.append(TimedStep(off, .signInLock(one, isOn: false, byCode: isByCode)))
        }
        if chance.isBelow(0.3) {
            let change = Int64.random(in: at..<second, using: &chance)
            steps.append(TimedStep(change, .changeNumber(one, .right)))
        }
        return steps + [TimedStep(second, .readActs(one)), TimedStep(second, .enterCode(one))]
    }

    /// Returns what follows a step of administrators at their desk.
    private mutating func deskWork(after step: Step, _ at: Int64) -> [TimedStep] {
        let hour: Int64 = 3_600_000
        switch step {
        case .testPerson(let one):
            return [TimedStep(at + 1_000, .readLog(one))]
        case .moveOut(let one):
            // Mostly before the person signs up again.
            let back = at + Int64.random(in: 60_000..<2 * hour, using: &chance)
            var steps = [
                TimedStep(back, .moveIn(one)),
                TimedStep(back + 5_000, .showPerson(one, byID: true)),
                TimedStep(back + 10_000, .checkIn(one, answerLost: false)),
                TimedStep(back + 20_000, .moveIn(one)), TimedStep(back + 30_000, .readLog(one)),
            ]
            if chance.isBelow(0.5) {
                steps.append(TimedStep(back - 1_000, .makeToken(one)))
                steps.append(TimedStep(back + 3_000, .useToken(one)))
            }
            return steps
        case .makeGroupToken(_, let days):
            // The last people have no account at first.
            var steps: [TimedStep] = []
            for _ in 0..<4 {
                let later = at + Int64.random(in: 1_000..<Int64(days) * 30 * hour, using: &chance)
                let one = max(0, people - Int.random(in: 1...4, using: &chance))
                steps.append(TimedStep(later, .joinByToken(one)))
            }
            return steps + [TimedStep(at + hour, .listTokens(0))]
        default: return []
        }
    }

    /// Returns a use of the access token, before or after its end.
    private mutating func useOfSession(of one: Int, after at: Int64) -> TimedStep {
        TimedStep(at + Int64.random(in: 1_000..<1_800_000, using: &chance), .useSession(one))
    }

    /// Returns what happens while the machine's clock is wrong. Rows of the last minutes before the
    /// correction have the greatest error.
    private mutating func wrongClock(_ seconds: Int, from at: Int64) -> [TimedStep] {
        let end = at + Int64(seconds) * 1_000
        var steps: [TimedStep] = []
        for _ in 0..<Int.random(in: 0...4, using: &chance) {
            let begin = chance.isBelow(0.5) ? at + 2_000 : end - 120_000
            let later = Int64.random(in: begin..<end, using: &chance)
            let one = Int.random(in: 0..<people, using: &chance)
            let step = Step.duringWrongClock(of: one, (one + 1) % people, &chance)
            steps.append(TimedStep(later, step))
        }
        if chance.isBelow(0.3) {
            let again = end + milliseconds(hours: Double.random(in: 0.01..<6, using: &chance))
            let error = [-7_200, -60, 60, 7_200].pick(&chance)
            steps.append(TimedStep(again, .wallClock(error: error, seconds: 1_200)))
        }
        return steps
    }
}
