import Domain
import SeededGenerator

extension StepGenerator.Kind {
    /// Invitations by e-mail, guests who end the messages, alert passes, and rarer troubles of
    /// providers.
    static let letters: [Self] = [
        Self(12) { one, _, chance in
            .inviteByMail(one, letter: Int.random(in: 0..<6, using: &chance))
        },
        Self(5) { one, _, chance in
            .stopHelp(one, guest: Int.random(in: 0..<6, using: &chance))
        },
        Self(8) { one, _, _ in .getPass(one) },
        Self(2) { one, _, chance in .usePass(one, another: chance.isBelow(0.5)) },
        Self(4) { one, _, chance in
            .refusal(
                one, [Trouble.refusing, .limited, .slow].pick(&chance),
                seconds: [60, 600, 7_200].pick(&chance))
        },
        Self(5) { _, _, chance in
            .serviceTrouble(
                Step.Service.allCases.pick(&chance),
                [Trouble.down, .stalled, .refusing, .limited, .slow].pick(&chance),
                seconds: [60, 600, 3_600].pick(&chance))
        },
        Self(4) { one, _, _ in .stopAtCarrier(one) },
        Self(1) { _, _, chance in
            .closeMailbox(letter: Int.random(in: 0..<Truth.correspondents, using: &chance))
        },
        Self(2) { _, _, chance in .convertNumbers(oneOf: [1, 2, 4].pick(&chance)) },
    ]
}

extension FollowUps {
    /// Returns what follows a step of `Kind.letters`.
    mutating func letters(after step: Step, _ at: Int64) -> [TimedStep] {
        switch step {
        case .inviteByMail(let one, let letter): return answers(to: one, letter, at)
        case .stopHelp(let one, let guest) where chance.isBelow(0.7):
            // The link undoes it for a day.
            let later = at + milliseconds(hours: Double.random(in: 0..<26, using: &chance))
            return [TimedStep(later, .undoStop(one, guest: guest))]
        case .getPass(let one):
            let first = at + milliseconds(hours: Double.random(in: 0..<100, using: &chance))
            var steps = [TimedStep(first, .usePass(one, another: false))]
            for _ in 0..<Int.random(in: 0...2, using: &chance) {
                let later = first + milliseconds(hours: Double.random(in: 0..<110, using: &chance))
                steps.append(TimedStep(later, .usePass(one, another: chance.isBelow(0.6))))
            }
            return steps
        case .stopAtCarrier(let one):
            let later = at + milliseconds(hours: Double.random(in: 1..<60, using: &chance))
            return [TimedStep(later, .text(one, .start))]
        default: return []
        }
    }

    private mutating func answers(to one: Int, _ letter: Int, _ at: Int64) -> [TimedStep] {
        let person =
            letter < Truth.correspondents
            ? people + letter : Step.invited(by: one, letter: letter, people: people)
        var steps: [TimedStep] = []
        for _ in 0..<Int.random(in: 0...3, using: &chance) {
            let later = at + milliseconds(hours: Double.random(in: 0..<40, using: &chance))
            let isYes = chance.isBelow(0.8)
            let acts: [Step] = [
                .answerInvitation(person, from: one, isYes: isYes),
                .answerInvitation(person, from: one, isYes: isYes),
                .answerInvitation(person, from: one, isYes: isYes),
                .refuseByMail(person, from: one),
                .takeInvitationBack(one, from: person),
                .inviteByMail(one, letter: letter),
            ]
            steps.append(TimedStep(later, acts.pick(&chance)))
        }
        if chance.isBelow(0.3) {
            let later = at + milliseconds(hours: Double.random(in: 40..<300, using: &chance))
            let ends: [Step] = [
                .endMail(person, byLink: true), .remove(one, person),
                .refuseByMail(person, from: one), .block(one, person),
            ]
            steps.append(TimedStep(later, ends.pick(&chance)))
        }
        return steps
    }
}

extension Step {
    /// Returns the person whose own address an invitation by e-mail names.
    static func invited(by one: Int, letter: Int, people: Int) -> Int {
        (one + letter + 1 - Truth.correspondents) % people
    }

    /// The words of the steps about letters; nil for other steps.
    var letters: String? {
        switch self {
        case .inviteByMail(let one, let letter):
            "\(name(one)) invites "
                + (letter < Truth.correspondents ? "correspondent \(letter)" : "a person")
                + " by e-mail"
        case .refuseByMail(let one, let other):
            "\(name(one)) ends the mail by the link in the invitation of \(name(other))"
        case .stopHelp(let one, let guest):
            "guest \(guest) of \(name(one)) ends the messages by a link"
        case .undoStop(let one, let guest):
            "guest \(guest) of \(name(one)) wants the messages again"
        case .getPass(let one): "\(name(one))'s device gets an alert pass"
        case .usePass(let one, let another):
            "\(name(one))'s device raises \(another ? "another" : "the") alert by the pass"
        case .convertNumbers(let share):
            "the server converts the phone numbers, one of \(share)"
        case .refusal(let one, let trouble, let seconds):
            "all that reaches \(name(one)) is \(trouble.rawValue) for \(span(seconds))"
        case .serviceTrouble(let service, let trouble, let seconds):
            "\(service.rawValue) is \(trouble.rawValue) for everybody for \(span(seconds))"
        case .stopAtCarrier(let one): "\(name(one)) sends STOP to the carrier"
        case .closeMailbox(let letter): "the mailbox of correspondent \(letter) is closed"
        default: nil
        }
    }
}
