import Simulation

/// Shortened lists of steps that once led to a failure; see Docs/simulation.md.
extension Found {
    static let aboutAlerts: [Found] = [
        Found(
            "anAlertGoesSilent", breaks: "silent", seed: 1, until: 175153168,
            [
                TimedStep(551167, .join(9)),
                TimedStep(553167, .checkIn(9, answerLost: false)),
            ]),
        Found(
            "repeatsMissTheirMoments", breaks: "repeats", seed: 1, until: 205114168,
            [
                TimedStep(551167, .join(9)),
                TimedStep(553167, .checkIn(9, answerLost: false)),
                TimedStep(664475, .join(11)),
                TimedStep(669475, .seeCode(11, of: 9)),
                TimedStep(669975, .scan(11, codeOf: 9, both: false)),
                TimedStep(1066431, .join(17)),
                TimedStep(125914167, .checkIn(17, answerLost: false)),
            ]),
        Found(
            "aLongerIntervalHidesAnAlert", breaks: "status", seed: 1, until: 385055062,
            [
                TimedStep(551167, .join(9)),
                TimedStep(553167, .checkIn(9, answerLost: false)),
                TimedStep(385055061, .setInterval(9, minutes: 10080)),
            ]),
        Found(
            "aNewDeadlineIsAbsorbed", breaks: "again", seed: 17, until: 1210208226,
            [
                TimedStep(432901, .join(7)),
                TimedStep(512902, .join(8)),
                TimedStep(516902, .seeCode(8, of: 7)),
                TimedStep(517402, .scan(8, codeOf: 7, both: false)),
                TimedStep(603608225, .checkIn(7, answerLost: false)),
                TimedStep(765062520, .setInterval(7, minutes: 10080)),
            ]),
        Found(
            "theTimeOfAnEarlierAcknowledgement", breaks: "acknowledgement", seed: 1,
            until: 406754847,
            [
                TimedStep(392213, .join(6)),
                TimedStep(394213, .checkIn(6, answerLost: false)),
                TimedStep(499717, .join(8)),
                TimedStep(504717, .seeCode(8, of: 6)),
                TimedStep(505217, .scan(8, codeOf: 6, both: false)),
                TimedStep(403786119, .acknowledge(8, of: 6)),
                TimedStep(406754846, .acknowledge(8, of: 6)),
            ]),
        Found(
            "aWrongClockDelaysAnAlert", breaks: "missed", seed: 30, until: 1368870112,
            [
                TimedStep(1051913, .join(17)),
                TimedStep(197698217, .raise(17, answerLost: true)),
                TimedStep(1282469110, .checkIn(17, answerLost: false)),
                TimedStep(1327215750, .wallClock(error: -172800, seconds: 28800)),
            ]),
        Found(
            "aPingStopsTheWatch", breaks: "watch", seed: 6, until: 612432486,
            [
                TimedStep(923335, .join(15)),
                TimedStep(989861, .join(16)),
                TimedStep(993861, .seeCode(16, of: 15)),
                TimedStep(994361, .scan(16, codeOf: 15, both: false)),
                TimedStep(525972485, .breakRow(.pings, of: 15, seconds: 108000)),
                TimedStep(526032485, .ping(16, 15)),
            ]),
        Found(
            "anOutageWithoutGrace", breaks: "grace", seed: 4, until: 654416134,
            [
                TimedStep(324929, .join(5)),
                TimedStep(617268913, .wallClock(error: 172800, seconds: 93600)),
                TimedStep(649161397, .checkIn(5, answerLost: false)),
                TimedStep(654326133, .restart(kill: true, seconds: 90)),
            ]),
        Found(
            "aRestoreTellsResponders", breaks: "restore", seed: 1, until: 923482998,
            [
                TimedStep(733821, .join(12)),
                TimedStep(817524, .join(13)),
                TimedStep(821524, .seeCode(13, of: 12)),
                TimedStep(822024, .scan(13, codeOf: 12, both: false)),
                TimedStep(582788837, .backUp),
                TimedStep(616811311, .checkIn(12, answerLost: false)),
                TimedStep(909070997, .restore(seconds: 14400)),
            ]),
        Found(
            "aRowStopsTheCorrection", breaks: "watch", seed: 700_041, until: 1_627_733_158,
            [
                TimedStep(668055, .join(11)),
                TimedStep(1_598_932_157, .wallClock(error: -172800, seconds: 28800)),
                TimedStep(1_603_649_140, .checkIn(11, answerLost: false)),
                TimedStep(1_604_276_195, .breakRow(.schedules, of: 11, seconds: 108000)),
            ]),
        Found(
            "aDowntimeThatWasNone", breaks: "downtime", seed: 1, until: 1600397854,
            [
                TimedStep(164208, .join(2)),
                TimedStep(268034, .join(4)),
                TimedStep(273034, .seeCode(4, of: 2)),
                TimedStep(273534, .scan(4, codeOf: 2, both: false)),
                TimedStep(1558128373, .checkIn(2, answerLost: false)),
                TimedStep(1600397852, .setInterval(2, minutes: 480)),
            ]),
    ]
}
