import Domain
import Foundation
import Testing

@Suite struct CheckInRecordTests {
    @Test(arguments: [
        (Int64(0), false), (60_000, false), (60_001, true), (3_600_000, true), (-5, false),
    ])
    func checkInCameLateAfterMoreThanAMinute(milliseconds: Int64, isLate: Bool) {
        let made = Date(milliseconds: 1_700_000_000_000)
        let record = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: made,
            receivedAt: made.adding(.milliseconds(milliseconds)),
            nextCheckInTime: made.adding(.hours(24)))
        #expect(record.cameLate == isLate)
    }

    @Test(arguments: [
        (Duration.zero, false), (.minutes(2), false), (.minutes(2) + .milliseconds(1), true),
        (.minutes(-5), false),
    ])
    func clockTwoMinutesBehindIsSlow(behind: Duration, isSlow: Bool) {
        let record = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: noon, receivedAt: noon.adding(behind),
            nextCheckInTime: nil)
        #expect(record.isFromSlowClock == isSlow)
    }
}
