import Foundation
import Testing

@testable import Domain

@Suite struct CheckInLimitTests {
    @Test func checkInOver10SecondsNewerIsExempt() {
        let now = noon.adding(.minutes(1))
        #expect(!CheckInLimits.isExempt(noon.adding(.seconds(10)), after: noon, at: now))
        #expect(CheckInLimits.isExempt(noon.adding(.milliseconds(10_001)), after: noon, at: now))
    }

    @Test func firstCheckInIsExempt() {
        #expect(CheckInLimits.isExempt(noon, after: nil, at: noon))
    }

    @Test func repeatedAndOlderMomentsAreNotExempt() {
        #expect(!CheckInLimits.isExempt(noon, after: noon, at: noon))
        #expect(!CheckInLimits.isExempt(noon.adding(.zero - .days(1)), after: noon, at: noon))
    }

    /// The longest interval is 7 days, so a check-in 7 days ago proves nothing about the present.
    @Test func checkInOlderThanLongestIntervalIsNotExempt() {
        let now = noon.adding(.days(7))
        #expect(!CheckInLimits.isExempt(noon, after: nil, at: now))
        #expect(CheckInLimits.isExempt(noon.aMillisecondAfter, after: nil, at: now))
    }

    @Test func sixtyNonExemptCheckInsAnHour() {
        let now = noon.adding(.minutes(30))
        let taken = (0..<60).map { noon.adding(.seconds($0)) }
        #expect(CheckInLimits.wait(after: Array(taken.dropLast()), at: now) == nil)
        #expect(CheckInLimits.wait(after: taken, at: now) == .minutes(30))
        #expect(
            CheckInLimits.wait(after: taken, at: noon.adding(.hours(1)).aMillisecondBefore)
                == .milliseconds(1))
        #expect(CheckInLimits.wait(after: taken, at: noon.adding(.hours(1))) == nil)
    }

    @Test func zeroMeansNoLimit() {
        #expect(CheckInLimits.wait(after: [noon, noon], limit: 0, at: noon) == nil)
    }
}
