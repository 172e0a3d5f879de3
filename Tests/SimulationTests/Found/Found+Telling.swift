import Simulation

/// Shortened lists of steps that once led to a failure; see Docs/simulation.md.
extension Found {
    static let aboutTelling: [Found] = [
        Found(
            "aRemovedResponderHearsNoEnd", breaks: "allClear", seed: 8, until: 1780776992,
            [
                TimedStep(301095, .join(5)),
                TimedStep(303095, .checkIn(5, answerLost: false)),
                TimedStep(426481, .join(7)),
                TimedStep(431481, .seeCode(7, of: 5)),
                TimedStep(431981, .scan(7, codeOf: 5, both: false)),
                TimedStep(1777176991, .remove(5, 7)),
            ]),
        Found(
            "aDeletedAccountHasNoEnd", breaks: "allClear", seed: 33, until: 2028422504,
            [
                TimedStep(879012, .join(14)),
                TimedStep(881012, .checkIn(14, answerLost: false)),
                TimedStep(997948, .join(16)),
                TimedStep(1002948, .seeCode(16, of: 14)),
                TimedStep(1003448, .scan(16, codeOf: 14, both: false)),
                TimedStep(2024822503, .leave(14)),
            ]),
        Found(
            "theAllClearIsGivenUp", breaks: "allClear", seed: 24, until: 1691197382,
            [
                TimedStep(187840, .join(3)),
                TimedStep(280856, .join(4)),
                TimedStep(284856, .seeCode(4, of: 3)),
                TimedStep(285356, .scan(4, codeOf: 3, both: false)),
                TimedStep(1058826528, .addEndpoint(4)),
                TimedStep(1128997238, .checkIn(3, answerLost: false)),
                TimedStep(1657119156, .endpointTrouble(4, .down, seconds: 28800)),
                TimedStep(1658797381, .checkIn(3, answerLost: false)),
            ]),
        Found(
            "needsHelpComesAfterIsFine", breaks: "order", seed: 2, until: 1027908378,
            [
                TimedStep(262828, .join(4)),
                TimedStep(264828, .checkIn(4, answerLost: false)),
                TimedStep(347622, .join(5)),
                TimedStep(350622, .addEndpoint(5)),
                TimedStep(351622, .seeCode(5, of: 4)),
                TimedStep(352122, .scan(5, codeOf: 4, both: false)),
                TimedStep(998427768, .acknowledge(5, of: 4)),
                TimedStep(998662958, .endpointTrouble(5, .down, seconds: 28800)),
                TimedStep(1014416678, .checkIn(4, answerLost: false)),
            ]),
        Found(
            "aStormOfSMS", breaks: "storm", seed: 1, until: 1399850229,
            [
                TimedStep(551167, .join(9)),
                TimedStep(634155, .join(10)),
                TimedStep(638155, .seeCode(10, of: 9)),
                TimedStep(638655, .scan(10, codeOf: 9, both: false)),
                TimedStep(1399820123, .raiseAndEnd(9, times: 19)),
            ]),
        Found(
            "anEndpointIsForgotten", breaks: "endpoint", seed: 2, until: 1640848546,
            [
                TimedStep(761014, .join(12)),
                TimedStep(865583, .join(14)),
                TimedStep(868583, .addEndpoint(14)),
                TimedStep(870583, .seeCode(14, of: 12)),
                TimedStep(871083, .scan(14, codeOf: 12, both: false)),
                TimedStep(60573923, .checkIn(12, answerLost: false)),
                TimedStep(1612504013, .acknowledge(14, of: 12)),
                TimedStep(1613841189, .endpointTrouble(14, .gone, seconds: 28800)),
            ]),
        Found(
            "anEarlyReportIsLost", breaks: "report", seed: 5, until: 1473338873,
            [
                TimedStep(762196, .join(12)),
                TimedStep(608388697, .setInterval(12, minutes: 2880)),
                TimedStep(1294644597, .checkIn(12, answerLost: false)),
                TimedStep(1460846888, .carrierTrouble(.down, seconds: 25200)),
                TimedStep(1473323992, .carrierTrouble(.hasty, seconds: 3600)),
            ]),
        Found(
            "theLedgerHasNoReason", breaks: "reason", seed: 1, until: 2169376820,
            [
                TimedStep(431303, .join(7)),
                TimedStep(433303, .checkIn(7, answerLost: false)),
                TimedStep(2110544954, .carrierTrouble(.dropping, seconds: 25200)),
                TimedStep(2124320079, .checkIn(7, answerLost: false)),
                TimedStep(2131576819, .raise(7, answerLost: false)),
            ]),
        Found(
            "aRoleWithoutConsent", breaks: "consent", seed: 1, until: 1727988066,
            [
                TimedStep(923314, .join(15)),
                TimedStep(987208, .join(16)),
                TimedStep(991208, .seeCode(16, of: 15)),
                TimedStep(991708, .scan(16, codeOf: 15, both: false)),
                TimedStep(1727988065, .setRoles(16, of: 15, isResponder: true, isDependent: false)),
            ]),
        Found(
            "anOldCodeStillWorks", breaks: "oldCode", seed: 2, until: 943881115,
            [
                TimedStep(809478, .join(13)),
                TimedStep(943900, .join(15)),
                TimedStep(948900, .seeCode(15, of: 13)),
                TimedStep(949400, .scan(15, codeOf: 13, both: false)),
                TimedStep(938228793, .remove(13, 15)),
                TimedStep(943881114, .scan(15, codeOf: 13, both: false)),
            ]),
        Found(
            "aLostAnswerSignsOut", breaks: "signedIn", seed: 1, until: 499395586,
            [
                TimedStep(634155, .join(10)),
                TimedStep(133670270, .refresh(10, answerLost: true)),
                TimedStep(499395585, .refresh(10, answerLost: false)),
            ]),
    ]
}
