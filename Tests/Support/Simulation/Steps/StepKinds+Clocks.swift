import Domain
import SeededGenerator

extension StepGenerator.Kind {
    /// Steps about the machine's clock.
    static let clockTrouble: [Self] = [
        Self(14) { _, _, chance in
            .wallClock(error: clockSteps.pick(&chance), seconds: clockSpans.pick(&chance))
        },
        // A large error that lasts longer than a minute would stay for days.
        Self(5) { _, _, chance in
            .startWrong(
                error: startErrors.pick(&chance), down: [60, 650, 3_700, 15_000].pick(&chance),
                seconds: [10, 30, 50].pick(&chance))
        },
        Self(3) { _, _, chance in
            .startWrong(
                error: [-400, -90, 90, 400].pick(&chance), down: [650, 3_700].pick(&chance),
                seconds: [90, 600].pick(&chance))
        },
        Self(4) { _, _, chance in
            .clockDrift(
                perMillion: [-400, -40, 40, 400].pick(&chance), hours: [1, 6, 20].pick(&chance))
        },
    ]

    private static let clockSteps = [
        2, -2, 20, -20, 600, -600, 3_600, -3_600, 10_800, -10_800, 86_400, -86_400, 432_000,
        -432_000,
    ]
    private static let clockSpans = [30, 600, 1_800, 3_600, 3_600, 14_400]
    private static let startErrors = [
        240, 600, 800, 3_600, 86_400, 432_000, -600, -3_600, -86_400, -432_000, 14_400,
    ]
}

extension Step {
    /// What people do while the machine's clock is wrong, and what comes on top of it.
    static func duringWrongClock(
        of one: Int, _ other: Int, _ chance: inout SeededGenerator
    ) -> Step {
        let steps: [Step] = [
            .raise(one, answerLost: false), .checkIn(one, answerLost: false), .ping(other, one),
            .pause(one, minutes: [30, 180, 1_440].pick(&chance)), .endPause(one),
            .startJourney(
                one, minutes: [20, 90, 240].pick(&chance), grace: 10, chosen: 0, tells: true),
            .setInterval(one, minutes: 480),
            .setTimes(
                one, Step.Place.allCases.pick(&chance),
                windows: Int.random(in: 0..<1_000_000, using: &chance)),
            .drill(one), .move(one, byCode: false), .signInElsewhere(one),
            .signInLock(one, isOn: true, byCode: false), .acknowledge(other, of: one),
            .endpointTrouble(other, .down, seconds: 1_800),
            .restart(kill: true, seconds: 90), .restart(kill: true, seconds: 5),
            .diskFull(atCommit: false, seconds: 60), .backUp,
        ]
        return steps.pick(&chance)
    }
}
