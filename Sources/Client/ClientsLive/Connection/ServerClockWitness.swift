import Domain
import Foundation
import Synchronization
import WebText

/// Measures from a server's answers how far its clock is ahead of this device's clock.
final class ServerClockWitness: Sendable {
    private struct State {
        var last: ClockMeasurement?
        /// The last measurement that was passed to `keep`, or came from an earlier process.
        var kept: ClockMeasurement?
        var keep: (@Sendable (ClockMeasurement) async -> Void)?
    }

    private let state = Mutex(State())
    private let deviceTime: @Sendable () -> Date?
    private let uptime: @Sendable () -> Uptime?

    /// - Parameters:
    ///   - deviceTime: returns the time of this device's clock; nil if it isn't measured.
    ///   - uptime: see `ClientEnvironment`.
    init(
        deviceTime: @escaping @Sendable () -> Date?, uptime: @escaping @Sendable () -> Uptime?
    ) {
        self.deviceTime = deviceTime
        self.uptime = uptime
    }

    /// The newest measurement; nil before the first answer.
    var measurement: ClockMeasurement? { state.withLock { $0.last } }

    /// How far the server's clock is ahead now; zero before the first answer, and within
    /// `CheckInRules.clockSkew`, because the header has whole seconds and answers take time.
    var offset: Duration {
        guard let measurement, let now = deviceTime() else { return .zero }
        return measurement.offset(at: now, uptime())
    }

    /// Continues from the measurement of an earlier process, unless this process has measured.
    /// - Parameters:
    ///   - known: the kept measurement; nil if there is none.
    ///   - keep: called with a measurement that differs from the kept one by more than
    ///     `CheckInRules.clockSkew`, and with the first one after a restart of the device.
    func follow(
        _ known: ClockMeasurement?, keep: @escaping @Sendable (ClockMeasurement) async -> Void
    ) {
        state.withLock { state in
            state.kept = known
            state.keep = keep
            // Without an uptime, the process can't tell whether the clock was set in the meantime.
            if state.last == nil, known?.uptime != nil { state.last = known }
        }
    }

    /// Measures from the `Date` header of an answer that has just arrived.
    func see(_ headers: [String: String]) async {
        guard let now = deviceTime(), let date = headers["date"].flatMap(HTTPDate.date) else {
            return
        }
        let measured = ClockMeasurement(
            offset: date.since(now), deviceTime: now, uptime: uptime())
        let keep = state.withLock { state -> (@Sendable (ClockMeasurement) async -> Void)? in
            state.last = measured
            guard let keep = state.keep, measured.uptime != nil,
                !measured.resembles(state.kept)
            else { return nil }
            state.kept = measured
            return keep
        }
        await keep?(measured)
    }
}

extension ClockMeasurement {
    /// Returns whether another measurement gives the same offset now, within
    /// `CheckInRules.clockSkew`.
    fileprivate func resembles(_ other: ClockMeasurement?) -> Bool {
        guard let other, other.uptime?.start == uptime?.start else { return false }
        return CheckInRules.isWithinSkew(offset - other.offset(at: deviceTime, uptime))
    }
}
