import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

extension ClockCorrectionTests {
    /// The correction must move the recorded end of the outage. In the future, it would explain
    /// deadlines that no outage delayed.
    @Test(arguments: [Duration.seconds(30), .minutes(10)])
    func outageIsMeasuredAgainAfterACorrection(uptime: Duration) async throws {
        _ = try await serve { server, _ in try await people(server) }
        machine.reboot(after: .minutes(5), error: .days(2))
        try await serve { server, _ in
            try await pass(uptime, server)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let outage = try await server.engine.read { try $0.serverState() }.outage
            #expect(
                outage
                    == (uptime < Outage.grace
                        ? Outage(from: noon, to: noon.adding(.minutes(5)), after: nil) : nil))
        }
    }

    /// The start grants a grace by its wrong time, which must not delay the alert by the error.
    @Test func missedDeadlineIsOnTimeAfterASlightlyFastStart() async throws {
        let (ada, _) = try await serve { server, _ in try await people(server) }
        machine.reboot(after: .hours(24), error: .minutes(10))
        try await serve { server, _ in
            try await pass(.seconds(30), server)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(try await server.openAlert(ada) == nil)
            try await pass(.minutes(1), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        }
    }

    /// A person heard from after the correction counts as heard from since the restore.
    @Test func restoreTimeIsCorrectedToo() async throws {
        let (ada, _) = try await serve { server, _ in try await people(server) }
        machine.reboot(after: .minutes(5), error: .days(2))
        try await serve(wakes: false) { server, _ in
            _ = try await server.engine.write(about: .none) { transaction in
                try transaction.updateServerState { $0.restoredFrom = noon }
            }
            try await server.network.serverLife.wake()
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            try await server.checkIn(ada, at: machine.realTime)
            let restoration = try await server.engine.read { try $0.serverState() }.restoration
            #expect(try #require(restoration).restoredAt <= machine.realTime)
            try await pass(.hours(24), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        }
    }
}
