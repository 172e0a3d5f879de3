import Domain
import Features
import Testing

@Suite struct PressWordsTests {
    private func taken(by user: UserID, isActive: Bool = true) -> AlertRecord {
        Fixture.alert(
            7, of: Fixture.ana, isActive: isActive,
            acknowledgement: .init(
                responderId: user.description, name: "Cleo", time: Fixture.now, afterSeconds: 1))
    }

    @Test func onItCountsOnlyForTheHelperOfAnOpenAlert() {
        let ben = Fixture.ben
        #expect(taken(by: ben).acknowledgementRefusal(by: ben) == nil)
        #expect(
            taken(by: Fixture.cleo).acknowledgementRefusal(by: ben) == "Cleo is on it already.")
        #expect(
            taken(by: ben, isActive: false).acknowledgementRefusal(by: ben)
                == "This alert has ended.")
    }

    @Test func declineCountsOnlyForAnOpenAlert() {
        #expect(Fixture.alert(7, of: Fixture.ana).declineRefusal == nil)
        #expect(
            Fixture.alert(7, of: Fixture.ana, isActive: false).declineRefusal
                == "This alert has ended.")
    }

    @Test(arguments: PingRecord.State.allCases)
    func onlyAnAnsweredPingIsClaimed(state: PingRecord.State) {
        let ping = Fixture.ping(8, from: Fixture.ben, to: Fixture.ana, state: state)
        #expect(
            ping.answerRefusal
                == (state == .answered ? nil : "This question is no longer open."))
    }

    @Test func onlyACountedAnswerToADrillIsClaimed() {
        var question = DrillQuestion(
            id: Fixture.id(9), ownerID: Fixture.ben, name: "Ben", startedAt: Fixture.now,
            endsAt: Fixture.now.adding(.minutes(15)))
        #expect(question.answerRefusal == "The drill is over.")
        question.isEndedByAlert = true
        #expect(question.answerRefusal == "A real alert ended the drill by Ben.")
        question.answeredAt = Fixture.now
        #expect(question.answerRefusal == nil)
    }
}
