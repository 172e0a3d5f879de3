import Domain

extension StepGenerator.Kind {
    /// Acts of people without an account, and acts of others towards them. `one` has no account.
    static let withGuests: [Self] = [
        Self(10) { one, other, _ in .invite(other, one) },
        Self(4) { one, other, chance in
            .answerInvitation(one, from: other, isYes: chance.isBelow(0.7))
        },
        Self(2) { one, _, chance in .text(one, Step.Words.allCases.pick(&chance)) },
        Self(3) { one, other, chance in
            .press(one, Step.Button.allCases.pick(&chance), of: other, byMail: false)
        },
        Self(1) { one, other, _ in .remove(other, one) },
        Self(1) { one, other, _ in .block(other, one) },
        Self(1) { one, other, _ in .takeInvitationBack(other, from: one) },
        Self(3) { one, _, _ in .makeToken(one) },
    ]

    /// Acts in the minutes after an alert. `one` is a responder; `other` needs help.
    static let rush: [Self] = [
        Self(10) { one, owner, _ in .acknowledge(one, of: owner) },
        Self(8) { one, _, _ in .text(one, .one) },
        Self(5) { one, _, _ in .text(one, .two) },
        Self(6) { one, owner, chance in
            .press(one, Step.Button.allCases.pick(&chance), of: owner, byMail: chance.isBelow(0.4))
        },
        Self(6) { one, owner, _ in .refuse(one, of: owner) },
        Self(6) { one, owner, _ in .withdraw(one, from: owner) },
        Self(5) { one, owner, chance in
            .report(one, AlertReport.allCases.pick(&chance), on: owner)
        },
        Self(5) { one, owner, _ in .resume(one, on: owner) },
        Self(2) { _, owner, _ in .resume(owner, on: owner) },
        Self(5) { one, owner, _ in .look(one, at: owner) },
        Self(3) { one, _, _ in .readAll(one) },
        Self(3) { one, _, _ in .browse(one, .alerts) },
        Self(2) { _, owner, _ in .browse(owner, .alerts) },
        Self(3) { one, _, _ in .openApp(one, seconds: 60) },
        Self(3) { one, owner, _ in .ping(one, owner) },
        Self(3) { _, owner, _ in .checkIn(owner, answerLost: false) },
        Self(4) { _, owner, _ in .end(owner) },
        Self(4) { _, owner, _ in .raise(owner, answerLost: false) },
        Self(1) { _, owner, chance in
            .raiseAndEnd(owner, times: Int.random(in: 2...6, using: &chance))
        },
        Self(2) { one, owner, _ in .remove(one, owner) },
        Self(2) { one, owner, _ in .remove(owner, one) },
        Self(2) { one, owner, _ in .block(owner, one) },
        Self(2) { one, owner, _ in .scan(one, codeOf: owner, both: false) },
        Self(2) { one, _, _ in .text(one, .stop) },
        Self(2) { one, _, _ in .text(one, .start) },
        Self(2) { one, _, _ in .addEndpoint(one) },
        Self(2) { one, _, chance in
            .addApp(one, [DeviceKind.browser, .iPhone, .android].pick(&chance))
        },
        Self(2) { one, _, _ in .removeEndpoint(one) },
        Self(2) { one, _, _ in .endMail(one, byLink: true) },
        Self(2) { one, _, chance in
            .endpointTrouble(
                one, [Trouble.down, .deaf, .stalled, .gone].pick(&chance), seconds: 60)
        },
        Self(2) { one, _, _ in .leave(one) },
        Self(1) { one, owner, chance in
            .changeMind(one, of: owner, times: Int.random(in: 2...25, using: &chance))
        },
        Self(2) { one, _, _ in .drill(one) },
        Self(1) { _, owner, _ in .drill(owner) },
        Self(2) { one, _, _ in .signInElsewhere(one) },
        Self(2) { _, owner, _ in .orderResponders(owner) },
        Self(1) { _, owner, _ in .leave(owner) },
        Self(2) { _, owner, _ in .lock(owner) },
        Self(1) { one, _, _ in .delete(one) },
        Self(1) { _, _, chance in .restart(kill: chance.isBelow(0.7), seconds: 5) },
        Self(1) { _, _, chance in
            .carrierTrouble([Trouble.down, .deaf, .hasty].pick(&chance), seconds: 60)
        },
        Self(1) { _, _, _ in .diskFull(atCommit: false, seconds: 5) },
    ]
}
