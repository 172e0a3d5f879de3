import Domain
import Foundation
import Persistence
import Synchronization

extension DeliveryWorker {
    struct Finished {
        var delivery: LeasedDelivery
        var result: DeliveryResult
        var time: Date
        var isSlow: Bool
        var jitter: Double

        /// Its owner may have to be told.
        var isEndpointAtFault: Bool {
            delivery.record.pushEndpointID != nil && result.reason?.isOfTheEndpoint == true
        }

        var endpoint: DeliveryEndpoint {
            DeliveryEndpoint(
                userID: delivery.record.userID, channel: delivery.record.channel,
                pushEndpointID: delivery.record.pushEndpointID)
        }
    }

    func end(of finished: Finished) -> DeliveryQueue.End {
        guard finished.result.reason != nil, finished.endpoint.pushEndpointID != nil else {
            return finished.isSlow ? .slow : .done
        }
        return .rests(until: restEnd(of: finished))
    }

    private func restEnd(of finished: Finished) -> Date {
        let rest = EndpointRules.rest(
            failingSince: finished.delivery.failingSince ?? finished.time, at: finished.time,
            jitter: finished.jitter)
        return finished.time.adding(rest)
    }

    func settle(
        _ finished: Finished, in transaction: Transaction
    ) throws -> DeliveryReport {
        let record = finished.delivery.record
        let (result, time) = (finished.result, finished.time)
        guard let reason = result.reason else {
            let providerID = if case .accepted(let id) = result { id } else { nil as String? }
            try transaction.settleDelivery(
                record, DeliveryUpdate(.accepted, providerID: providerID, at: time))
            if let device = record.pushEndpointID, let url = finished.delivery.url {
                try transaction.noteEndpointSuccess(device, of: record.userID, url, at: time)
            }
            return DeliveryReport(channel: record.channel, state: .accepted)
        }
        var next: Date?
        var state = DeliveryState.failed
        if case .refused = result {
        } else {
            next = DeliveryRules.nextTry(
                afterAttempt: record.attempts, usefulUntil: record.usefulUntil, wish: result.wish,
                at: time, jitter: finished.jitter)
            state = next == nil ? .givenUp : .retrying
        }
        let settled = try transaction.settleDelivery(
            record, DeliveryUpdate(state, reason: reason, nextTry: next, at: time))
        try noteFailure(of: finished, reason: reason, in: transaction)
        return DeliveryReport(channel: record.channel, state: settled ?? state, reason: reason)
    }

    private func noteFailure(
        of finished: Finished, reason: DeliveryReason, in transaction: Transaction
    ) throws {
        let record = finished.delivery.record
        guard finished.isEndpointAtFault, let device = record.pushEndpointID,
            let url = finished.delivery.url
        else { return }
        var failure = EndpointFailure(
            reason, url: url, attempts: record.attempts, at: finished.time)
        switch finished.result {
        case .gone: failure.isGone = true
        case .refused: failure.isFinal = true
        case .accepted, .failed: break
        }
        let news = try transaction.noteEndpointFailure(device, of: record.userID, failure)
        guard let news else { return }
        let notice = EndpointNotice(news: news, userID: record.userID, url: url, reason: reason)
        // An owner who can't be told must not cost the outcomes of the others.
        _ = try transaction.isolated { try notifyOwner(notice, transaction) }
    }
}
