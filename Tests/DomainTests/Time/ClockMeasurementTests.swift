import Domain
import Foundation
import Testing

@Suite struct ClockMeasurementTests {
    private let noon = Date(timeIntervalSince1970: 1_772_366_400)
    private let uptime = Uptime(start: "1", time: .hours(5))

    private func measured(_ offset: Duration, _ uptime: Uptime?) -> ClockMeasurement {
        ClockMeasurement(offset: offset, deviceTime: noon, uptime: uptime)
    }

    /// Returns the uptime a minute later.
    private func later(start: String = "1") -> Uptime {
        Uptime(start: start, time: uptime.time + .minutes(1))
    }

    @Test(arguments: [
        (-120_001, -120_001), (-120_000, 0), (0, 0), (120_000, 0), (120_001, 120_001),
    ])
    func offsetWithinTheSkewIsZero(milliseconds: Int, read: Int) {
        let measured = measured(.milliseconds(milliseconds), uptime)
        #expect(measured.offset(at: noon.adding(.minutes(1)), later()) == .milliseconds(read))
    }

    /// The clock was an hour behind.
    @Test func offsetFollowsAClockThatIsSet() {
        let measured = measured(.hours(1), uptime)
        let unchanged = noon.adding(.minutes(1))
        #expect(measured.offset(at: unchanged, later()) == .hours(1))
        #expect(measured.offset(at: unchanged.adding(.seconds(1)), later()) == .hours(1))
        #expect(measured.offset(at: unchanged.adding(.hours(1)), later()) == .zero)
        #expect(measured.offset(at: unchanged.adding(.hours(-2)), later()) == .hours(3))
        #expect(measured.offset(at: unchanged.adding(.hours(3)), later()) == .zero - .hours(2))
    }

    @Test func restartEndsAMeasurement() {
        let measured = measured(.hours(1), uptime)
        #expect(measured.offset(at: noon.adding(.minutes(1)), later(start: "2")) == .zero)
    }

    @Test func offsetStaysWithoutAnUptime() {
        let now = noon.adding(.days(1))
        #expect(measured(.hours(1), nil).offset(at: now, later()) == .hours(1))
        #expect(measured(.hours(1), uptime).offset(at: now, nil) == .hours(1))
    }

    @Test(arguments: [Duration.hours(30), .zero - .milliseconds(120_001)])
    func measurementIsReadAsWritten(offset: Duration) throws {
        let measured = measured(offset, uptime)
        let bytes = try JSONEncoder().encode(measured)
        #expect(try JSONDecoder().decode(ClockMeasurement.self, from: bytes) == measured)
    }
}
