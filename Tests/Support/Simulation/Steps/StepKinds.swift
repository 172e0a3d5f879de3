import Domain
import SeededGenerator

extension StepGenerator {
    /// A random step and its frequency. Each new step needs an entry in `all`.
    struct Kind: Sendable {
        /// The relative weight. All weights add up to about 900, for about 12 steps a day.
        var weight: Int
        let label: String
        var make: @Sendable (_ one: Int, _ other: Int, inout SeededGenerator) -> Step

        init(_ weight: Int, _ make: @escaping @Sendable (Int, Int, inout SeededGenerator) -> Step) {
            self.weight = weight
            self.make = make
            var sample = SeededGenerator(seed: 1)
            label = make(0, 1, &sample).label
        }

        static let all: [Kind] = [
            Kind(40) { one, _, chance in .checkIn(one, answerLost: chance.isBelow(0.1)) },
            Kind(15) { one, _, _ in .repeatCheckIn(one) },
            Kind(12) { one, _, chance in .setInterval(one, minutes: intervals.pick(&chance)) },
            Kind(6) { one, _, chance in .mute(one, chance.isBelow(0.5)) },
            Kind(35) { one, _, chance in .offline(one, seconds: spans.pick(&chance)) },
            Kind(50) { one, _, chance in .openApp(one, seconds: spans.pick(&chance)) },
            Kind(8) { one, _, chance in .deviceClock(one, seconds: clocks.pick(&chance)) },
            Kind(12) { one, _, _ in .addEndpoint(one) },
            Kind(6) { one, _, _ in .removeEndpoint(one) },
            Kind(5) { one, _, _ in .signInElsewhere(one) },
            Kind(4) { one, _, _ in .endOtherSession(one) },
            Kind(3) { one, _, _ in .endSessionByMail(one) },
            Kind(3) { one, _, _ in .export(one) },
            Kind(6) { one, _, chance in .timeZone(one, Step.Zone.allCases.pick(&chance)) },
            Kind(5) { one, _, _ in .changeProfile(one) },
            Kind(5) { one, _, _ in .orderResponders(one) },
            Kind(10) { one, _, chance in .addApp(one, apps.pick(&chance)) },
            Kind(3) { one, _, _ in .testEndpoint(one) },
            Kind(6) { one, _, _ in .setMail(one) },
            Kind(3) { one, _, chance in .confirmMail(one, isRight: chance.isBelow(0.7)) },
            Kind(2) { one, _, chance in .endMail(one, byLink: chance.isBelow(0.5)) },
            Kind(25) { one, _, _ in .readAll(one) },
            Kind(60) { one, _, chance in .refresh(one, answerLost: chance.isBelow(0.1)) },

            Kind(20) { one, _, chance in .raise(one, answerLost: chance.isBelow(0.1)) },
            Kind(20) { one, _, _ in .end(one) },
            Kind(5) { one, _, chance in
                .raiseAndEnd(one, times: Int.random(in: 2...30, using: &chance))
            },
            Kind(8) { one, other, _ in .acknowledge(one, of: other) },
            Kind(3) { one, other, _ in .withdraw(one, from: other) },
            Kind(3) { one, other, chance in
                .report(one, AlertReport.allCases.pick(&chance), on: other)
            },
            Kind(1) { one, other, chance in
                .changeMind(one, of: other, times: Int.random(in: 2...25, using: &chance))
            },
            Kind(3) { one, other, _ in .resume(one, on: other) },
            Kind(4) { one, other, _ in .refuse(one, of: other) },
            Kind(4) { one, other, _ in .look(one, at: other) },
            Kind(14) { one, _, chance in .text(one, words.pick(&chance)) },
            Kind(8) { one, other, chance in
                .press(one, buttons.pick(&chance), of: other, byMail: chance.isBelow(0.5))
            },
            Kind(10) { one, _, _ in .drill(one) },
            Kind(6) { one, other, chance in
                .answerDrill(one, of: other, byLink: chance.isBelow(0.5))
            },
            Kind(2) { one, _, _ in .stopDrill(one) },
            Kind(4) { one, _, _ in .clearPings(one) },
            Kind(40) { one, other, _ in .ping(one, other) },
            Kind(10) { one, _, _ in .answerPings(one) },

            Kind(20) { one, other, _ in .seeCode(one, of: other) },
            Kind(30) { one, other, chance in .scan(one, codeOf: other, both: chance.isBelow(0.4)) },
            Kind(16) { one, other, chance in
                let responder = chance.isBelow(0.5)
                return .setRoles(
                    one, of: other, isResponder: responder,
                    isDependent: !responder || chance.isBelow(0.5))
            },
            Kind(10) { one, other, _ in .remove(one, other) },
            Kind(4) { one, _, _ in .renewCode(one) },
            Kind(14) { one, other, _ in .invite(one, other) },
            Kind(4) { one, other, chance in
                .answerInvitation(one, from: other, isYes: chance.isBelow(0.6))
            },
            Kind(4) { one, other, _ in .takeInvitationBack(one, from: other) },
            Kind(4) { one, other, _ in .accept(one, from: other) },
            Kind(4) { one, other, _ in .decline(one, from: other) },
            Kind(4) { one, other, _ in .takeBack(one, from: other) },
            Kind(4) { one, other, _ in .block(one, other) },
            Kind(4) { one, other, _ in .unblock(one, other) },
            Kind(3) { one, _, _ in .leave(one) },

            Kind(25) { one, _, chance in
                .endpointTrouble(
                    one, endpointTroubles.pick(&chance), seconds: outages.pick(&chance))
            },
            Kind(12) { _, _, chance in
                .carrierTrouble(carrierTroubles.pick(&chance), seconds: outages.pick(&chance))
            },
            Kind(12) { _, _, chance in
                .restart(kill: chance.isBelow(0.7), seconds: downtimes.pick(&chance))
            },
            Kind(6) { _, _, chance in
                .diskFull(atCommit: chance.isBelow(0.5), seconds: downtimes.pick(&chance))
            },
            Kind(8) { _, _, _ in .backUp },
            Kind(2) { _, _, chance in .restore(seconds: downtimes.pick(&chance)) },
            Kind(4) { _, _, chance in
                .wallClock(error: clockErrors.pick(&chance), seconds: spans.pick(&chance))
            },
            Kind(8) { one, _, chance in
                .breakRow(tables.pick(&chance), of: one, seconds: breaks.pick(&chance))
            },
        ]

        /// Steps about schedules.
        static let schedules: [Kind] = [
            Kind(14) { one, _, chance in
                .setTimes(
                    one, Step.Place.allCases.pick(&chance),
                    windows: Int.random(in: 0..<1_000_000, using: &chance))
            },
            Kind(3) { one, _, _ in .setNone(one) },
            Kind(6) { one, _, chance in
                .setLastCall(
                    one, message: chance.isBelow(0.8), Step.Calling.allCases.pick(&chance),
                    answers: chance.isBelow(0.6))
            },
            Kind(20) { one, _, chance in .pause(one, minutes: pauses.pick(&chance)) },
            Kind(8) { one, _, _ in .endPause(one) },
            Kind(10) { one, _, chance in
                .setSleep(
                    one, Step.Place.allCases.pick(&chance),
                    hours: Int.random(in: 0..<1_000_000, using: &chance))
            },
        ]

        /// Steps about journeys.
        static let journeys: [Kind] = [
            Kind(30) { one, _, chance in
                .startJourney(
                    one, minutes: journeyLengths.pick(&chance), grace: graces.pick(&chance),
                    chosen: [0, 1, 1, 2].pick(&chance), tells: chance.isBelow(0.5))
            },
            Kind(5) { one, _, chance in .extendJourney(one, minutes: [1, 30, 90].pick(&chance)) },
            Kind(5) { one, _, _ in .arrive(one) },
        ]

        /// Steps about sources.
        static let sources: [Kind] = [
            Kind(12) { one, _, _ in .addSource(one) },
            Kind(40) { one, _, _ in .useSource(one, isRemoved: false) },
            Kind(15) { one, _, _ in .removeSource(one) },
        ]

        /// Steps of administrators.
        static let administration: [Kind] = [
            Kind(8) { one, _, _ in .lock(one) },
            Kind(2) { one, _, _ in .unlock(one) },
            Kind(10) { one, _, chance in .move(one, byCode: chance.isBelow(0.2)) },
            Kind(2) { one, _, _ in .stopMove(one) },
            Kind(5) { _, _, chance in .announce(maintenance: chance.isBelow(0.3)) },
            Kind(6) { one, _, _ in .makeToken(one) },
            Kind(3) { one, _, _ in .delete(one) },
            Kind(4) { _, _, _ in .rotateKey(forgets: false) },
            Kind(4) { one, _, _ in .readActs(one) },
        ]

        /// Steps about sign-in.
        static let signIn: [Kind] = [
            Kind(12) { one, _, chance in
                .signInLock(one, isOn: chance.isBelow(0.8), byCode: chance.isBelow(0.5))
            },
            Kind(4) { one, _, _ in .enterCode(one) },
            Kind(2) { one, _, _ in .stopWait(one) },
            Kind(6) { one, _, _ in .makeCodes(one) },
            Kind(2) { one, _, chance in .useCode(one, isUsed: chance.isBelow(0.5)) },
        ]

        /// Steps of administrators at their desk.
        static let offices: [Kind] = [
            Kind(6) { one, _, chance in
                .findPeople(
                    one, Step.Search.allCases.pick(&chance),
                    length: Int.random(in: 1...12, using: &chance),
                    page: [1, 3, 50, 200].pick(&chance))
            },
            Kind(5) { one, _, chance in .showPerson(one, byID: chance.isBelow(0.5)) },
            Kind(3) { one, _, _ in .showAlert(one) },
            Kind(4) { one, _, _ in .showStuck(one) },
            Kind(3) { one, _, _ in .readLog(one) },
            Kind(4) { one, _, _ in .testPerson(one) },
            Kind(3) { one, _, _ in .exportPerson(one) },
            Kind(4) { one, _, _ in .moveOut(one) },
            Kind(3) { one, _, _ in .listTokens(one) },
            Kind(2) { one, _, _ in .revokeToken(one) },
            Kind(3) { _, _, chance in
                .makeGroupToken(uses: [1, 2, 20].pick(&chance), days: [1, 3, 7].pick(&chance))
            },
            Kind(8) { one, _, chance in .misuse(one, Step.Misuse.allCases.pick(&chance)) },
        ]

        /// Calls that must be refused.
        static let mistakes: [Kind] = [
            Kind(40) { one, other, chance in
                .mistake(one, other: other, Step.Mistake.allCases.pick(&chance))
            }
        ]

        /// Steps about ways into an account.
        static let ways: [Kind] = [
            Kind(8) { one, _, chance in .changeNumber(one, numberChanges.pick(&chance)) },
            Kind(5) { one, _, chance in
                .guessCode(one, tries: Int.random(in: 1...7, using: &chance))
            },
            Kind(5) { one, _, _ in .keepCode(one) },
            Kind(4) { one, _, chance in
                .floodCodes(one, times: Int.random(in: 4...8, using: &chance))
            },
            Kind(8) { one, _, _ in .useSession(one) },
            Kind(4) { one, _, _ in .endNewSession(one) },
            Kind(4) { one, _, _ in .copyToken(one) },
            Kind(4) { one, _, chance in .repeatCodes(one, isUsed: chance.isBelow(0.5)) },
            Kind(5) { one, _, _ in .addPasskey(one) },
            Kind(2) { one, _, _ in .removePasskey(one) },
            Kind(5) { one, _, chance in
                .usePasskey(one, Step.PasskeyUse.allCases.pick(&chance))
            },
            Kind(3) { one, _, chance in
                .limitSignUp(one, Step.Admission.allCases.pick(&chance))
            },
        ]

        private static let numberChanges: [Step.NumberChange] = [
            .right, .right, .right, .wrongCode, .taken,
        ]
        /// What people read in the app.
        static let reading: [Kind] = [
            Kind(70) { one, _, chance in .browse(one, Step.Shelf.allCases.pick(&chance)) }
        ]

        /// The groups that `Habits` draws after `all`. A new group goes to the end, so that the
        /// habits of old seeds stay.
        static let groups: [[Kind]] = [
            schedules, journeys, sources, administration, signIn, offices, mistakes, ways,
            clockTrouble, copying, reading, letters,
        ]

        private static let journeyLengths = [6, 20, 45, 90, 240, 240, 1_440, 5_000]
        private static let graces = [0, 10, 10, 10, 60]
        private static let intervals = [480, 960, 1_440, 1_440, 1_440, 2_880, 2_880, 2_880, 10_080]
        private static let pauses = [30, 180, 600, 1_440, 2_000, 4_320, 14_400]
        private static let spans = [5, 60, 600, 3_600, 3 * 3_600, 8 * 3_600, 26 * 3_600]
        /// Mostly short, because an endpoint's back-off after a long outage is ten minutes.
        private static let outages = [5, 5, 60, 60, 600, 600, 3_600, 3_600, 7 * 3_600]
        private static let downtimes = [1, 5, 30, 90, 600, 3_600, 4 * 3_600]
        private static let clocks = [0, 0, 60, -300, -3_600, 600]
        private static let clockErrors = [-3_000, -100, -3, 3, 100, 3_000, 172_800, -172_800]
        private static let endpointTroubles: [Trouble] = [
            .down, .down, .down, .deaf, .stalled, .gone,
        ]
        private static let carrierTroubles: [Trouble] = [.down, .deaf, .stalled, .dropping, .hasty]
        private static let breaks = [600, 3_600, 30 * 3_600]
        private static let apps: [DeviceKind] = [.browser, .iPhone, .android]
        private static let words: [Step.Words] =
            Step.Words.allCases + [.start, .start, .start, .one, .two]
        private static let buttons = Step.Button.allCases
        private static let tables = Step.Table.allCases
    }
}

extension Array {
    func pick(_ chance: inout SeededGenerator) -> Element {
        self[Int.random(in: indices, using: &chance)]
    }
}

extension [StepGenerator.Kind] {
    /// Returns a random step, by weight; nil without kinds.
    func pick(_ chance: inout SeededGenerator, _ one: Int, _ other: Int) -> Step? {
        let total = reduce(0) { $0 + $1.weight }
        guard total > 0 else { return nil }
        var luck = Int.random(in: 0..<total, using: &chance)
        for kind in self {
            luck -= kind.weight
            if luck < 0 { return kind.make(one, other, &chance) }
        }
        return nil
    }
}
