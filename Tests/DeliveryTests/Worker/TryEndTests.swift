import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

/// What follows from the result of one try.
@Suite struct TryEndTests {
    private func finished(
        _ result: DeliveryResult, by channel: DeliveryChannel = .webhook,
        to device: PushEndpointID? = id(9), alertOwner: UserID? = id(2), isSlow: Bool = false
    ) throws -> DeliveryWorker.Finished {
        var leased = try delivery(channel, device: device)
        leased.alertOwner = alertOwner
        return DeliveryWorker.Finished(
            delivery: leased, result: result, time: noon, isSlow: isSlow, jitter: 0)
    }

    private let accepted = DeliveryResult.accepted(providerID: nil)
    private let failed = DeliveryResult.failed(.http(503))

    @Test func onlyAFailingEndpointRests() async throws {
        let harness = WorkerHarness([FakeChannel()], database: try await FaultyDatabase.withAda())
        func end(_ finished: DeliveryWorker.Finished) -> String {
            "\(harness.worker.end(of: finished))"
        }
        #expect(end(try finished(accepted)) == "done")
        #expect(end(try finished(accepted, isSlow: true)) == "slow")
        #expect(end(try finished(failed)).hasPrefix("rests"))
        #expect(end(try finished(failed, isSlow: true)).hasPrefix("rests"))
        #expect(end(try finished(.refused(.keyChanged))) == "done")
        // Only endpoints have a back-off. Numbers and addresses don't.
        #expect(end(try finished(failed, by: .sms, to: nil)) == "done")
        #expect(end(try finished(failed, by: .sms, to: nil, isSlow: true)) == "slow")
    }

    @Test func onlyTheEndpointsOwnFailureIsItsFault() throws {
        #expect(try finished(failed).isEndpointAtFault)
        #expect(try !finished(accepted).isEndpointAtFault)
        #expect(try !finished(.failed(.serviceFailing)).isEndpointAtFault)
        #expect(try !finished(failed, by: .sms, to: nil).isEndpointAtFault)
        #expect(try finished(.gone(.http(404)), by: .email, to: nil).isMailboxGone)
        #expect(try !finished(.refused(.http(404)), by: .email, to: nil).isMailboxGone)
        #expect(try !finished(.gone(.http(404))).isMailboxGone)
    }

    @Test func refusedCallReleasesTheNextCalls() throws {
        let refused = DeliveryResult.refused(.http(400))
        let key = AlertKey(owner: id(2), id: id(7))
        #expect(try finished(refused, by: .voice, to: nil).alertOfEndedCall == key)
        #expect(try finished(failed, by: .voice, to: nil).alertOfEndedCall == nil)
        #expect(try finished(refused, by: .sms, to: nil).alertOfEndedCall == nil)
        let own = try finished(refused, by: .voice, to: nil, alertOwner: nil)
        #expect(own.alertOfEndedCall == nil)
    }

    @Test func refusedAlertLocksItsOwner() throws {
        let refused = DeliveryResult.refused(.http(400))
        let owner: UserID = id(2)
        #expect(try finished(refused).ownerOfRefusedStep == owner)
        for channel in [DeliveryChannel.sms, .voice] {
            #expect(try finished(refused, by: channel, to: nil).ownerOfRefusedStep == owner)
        }
        #expect(try finished(failed).ownerOfRefusedStep == nil)
        #expect(try finished(accepted).ownerOfRefusedStep == nil)
        #expect(try finished(refused, by: .console, to: nil).ownerOfRefusedStep == nil)
        #expect(try finished(refused, alertOwner: nil).ownerOfRefusedStep == nil)
        var drill = try finished(refused, alertOwner: nil)
        drill.delivery.purpose = .drill
        drill.delivery.record.notification.aboutUserID = owner
        #expect(drill.ownerOfRefusedStep == owner)
    }

    @Test func onlyASuccessAtAnAddressIsNoted() throws {
        let success = try #require(try finished(accepted).endpointSuccess)
        #expect(success.endpoint == id(9) && success.userID == id(1) && success.time == noon)
        #expect(success.kind == .webhook)
        #expect(try finished(accepted, by: .apns).endpointSuccess?.kind == .apns)
        #expect(try finished(failed).endpointSuccess?.kind == nil)
        #expect(try finished(accepted, by: .sms, to: nil).endpointSuccess?.kind == nil)
    }
}
