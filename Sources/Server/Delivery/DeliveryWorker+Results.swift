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

        /// Whether the endpoint is at fault, so that its owner may have to be notified.
        var isEndpointAtFault: Bool {
            delivery.record.pushEndpointID != nil && result.reason?.isOfTheEndpoint == true
        }

        /// Whether the provider has rejected the message permanently.
        var isRefused: Bool {
            switch result {
            case .refused, .ended: true
            case .accepted, .failed, .gone: false
            }
        }

        /// The alert whose next calls need not wait for this call any more; nil if there is none.
        var alertOfEndedCall: AlertKey? {
            let record = delivery.record
            guard record.channel == .voice, isRefused, let owner = delivery.alertOwner else {
                return nil
            }
            return record.notification.alertID.map { AlertKey(owner: owner, id: $0) }
        }

        /// Whether the mailbox doesn't exist. Other mail failures concern the operator, not the
        /// owner.
        var isMailboxGone: Bool {
            if record.channel == .email, case .gone = result { true } else { false }
        }

        var isOwnerConcerned: Bool { isEndpointAtFault || isMailboxGone }

        var record: DeliveryRecord { delivery.record }

        var endpointSuccess: EndpointSuccess? {
            guard result.reason == nil, let device = delivery.record.pushEndpointID,
                let url = delivery.url
            else { return nil }
            var success = EndpointSuccess(device, of: delivery.record.userID, url: url, at: time)
            success.kind = kind
            return success
        }

        var kind: PushEndpoint.Kind {
            PushEndpoint.Kind.allCases.first { $0.channel == delivery.record.channel } ?? .webhook
        }

        var endpoint: DeliveryEndpoint {
            DeliveryEndpoint(
                userID: delivery.record.userID, channel: delivery.record.channel,
                pushEndpointID: delivery.record.pushEndpointID)
        }
    }

    func end(of finished: Finished) -> DeliveryQueue.End {
        guard let reason = finished.result.reason, finished.endpoint.pushEndpointID != nil else {
            return finished.isSlow ? .slow : .done
        }
        // There is no back-off, because nothing was sent and a browser that has subscribed again
        // must not wait.
        if reason == .keyChanged { return .done }
        return .rests(until: restEnd(of: finished))
    }

    private func restEnd(of finished: Finished) -> Date {
        let rest = EndpointRules.rest(
            failingSince: finished.delivery.failingSince ?? finished.time, at: finished.time,
            jitter: finished.jitter)
        return finished.time.adding(rest)
    }

    func settle(_ batch: [Finished], in transaction: Transaction) throws -> [DeliveryReport] {
        let outcomes = batch.map { (record: $0.delivery.record, update: update(after: $0)) }
        let states = try transaction.settleDeliveries(outcomes)
        try transaction.noteEndpointSuccesses(batch.compactMap(\.endpointSuccess))
        for finished in batch { try noteEmail(finished, in: transaction) }
        let reports = try zip(batch, outcomes).map { finished, outcome in
            let (record, update) = outcome
            guard let reason = update.reason else {
                return DeliveryReport(channel: record.channel, state: .accepted)
            }
            try noteFailure(of: finished, reason: reason, in: transaction)
            return DeliveryReport(
                channel: record.channel, state: states[record.id] ?? update.state, reason: reason)
        }
        try advance(after: batch, in: transaction)
        return reports
    }

    /// Advances to the next escalation step after a permanent failure.
    private func advance(after batch: [Finished], in transaction: Transaction) throws {
        let refused = batch.filter { $0.isRefused && $0.delivery.alertOwner != nil }
        try transaction.advanceSteps(of: Array(Set(refused.map(\.delivery.record.userID))))
        for alert in Set(refused.compactMap(\.alertOfEndedCall)) {
            try transaction.hurryCalls(about: alert)
        }
    }

    private func update(after finished: Finished) -> DeliveryUpdate {
        let record = finished.delivery.record
        let (result, time) = (finished.result, finished.time)
        guard let reason = result.reason else {
            let providerID = if case .accepted(let id) = result { id } else { nil as String? }
            return DeliveryUpdate(.accepted, providerID: providerID, at: time)
        }
        switch result {
        case .refused, .ended: return DeliveryUpdate(.failed, reason: reason, at: time)
        case .accepted, .failed, .gone: break
        }
        let next = DeliveryRules.nextTry(
            afterAttempt: record.attempts, usefulUntil: record.usefulUntil, wish: result.wish,
            at: time, jitter: finished.jitter)
        return DeliveryUpdate(
            next == nil ? .givenUp : .retrying, reason: reason, nextTry: next, at: time)
    }

    private func noteEmail(_ finished: Finished, in transaction: Transaction) throws {
        let record = finished.record
        guard record.channel == .email, let address = finished.delivery.email?.address
        else { return }
        guard let reason = finished.result.reason else {
            return try transaction.noteEmailSuccess(
                of: record.userID, address: address, at: finished.time)
        }
        guard finished.isMailboxGone else { return }
        let failure = EmailFailure(
            reason, address: address, attempts: record.attempts, at: finished.time)
        guard let news = try transaction.noteEmailFailure(of: record.userID, failure) else {
            return
        }
        _ = try transaction.isolated { try notifyEmailOwner(record.userID, news, transaction) }
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
        failure.kind = finished.kind
        switch finished.result {
        case .gone: failure.isGone = true
        case .refused: failure.isFinal = true
        case .ended(_, let time): (failure.hasEnded, failure.endedAt) = (true, time)
        case .accepted, .failed: break
        }
        let news = try transaction.noteEndpointFailure(device, of: record.userID, failure)
        guard let news else { return }
        var notice = EndpointNotice(news: news, userID: record.userID, url: url, reason: reason)
        notice.kind = finished.kind
        // An error while notifying an owner must not roll back the other outcomes.
        _ = try transaction.isolated { try notifyOwner(notice, transaction) }
    }
}

extension DatabaseEngine {
    /// Returns whether a call is no longer wanted. The worker checks this right before the phone
    /// rings, because a call can't be undone. If the row can't be read, the call is made.
    func isWithdrawnCall(_ record: DeliveryRecord) async -> Bool {
        guard record.channel == .voice else { return false }
        let answer = try? await readUrgently {
            try $0.isWithdrawnCall(record.id, of: record.userID)
        }
        return answer ?? false
    }
}
