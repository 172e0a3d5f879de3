import Domain

extension Samples {
    static func drill(isFull: Bool) -> DrillRecord {
        DrillRecord(
            id: id(6), startedAt: noon, endedAt: isFull ? noon : nil, end: isFull ? .stopped : nil,
            answers: [
                DrillAnswer(
                    personID: id(2), name: "Ben", answeredAt: isFull ? noon : nil,
                    channel: isFull ? .voice : nil, isAsked: isFull ? false : nil)
            ])
    }

    static var drills: DrillOverview {
        DrillOverview(
            own: drill(isFull: true), asked: [drillQuestion(isFull: true)],
            ended: [drillQuestion(isFull: true)])
    }

    static func drillQuestion(isFull: Bool) -> DrillQuestion {
        DrillQuestion(
            id: id(6), ownerID: id(1), name: "Ada", startedAt: noon, endsAt: noon,
            answeredAt: isFull ? noon : nil, notificationID: isFull ? id(9) : nil,
            isEndedByAlert: isFull ? true : nil)
    }
}
