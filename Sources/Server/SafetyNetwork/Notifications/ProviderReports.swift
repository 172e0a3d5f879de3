import Domain
import Persistence

/// Reports of providers about messages that they have accepted.
public struct ProviderReports: Commands {
    public let core: Core
    let invitations: Invitations
    let textAnswers: TextAnswers

    /// Records a report, and returns whether it has changed a delivery. Handles a STOP that it
    /// reports, and forgets an invitation that has failed.
    /// - Parameter origin: nil to find the message by the provider's id.
    public func enter(
        _ report: ProviderReport, about origin: MessageOrigin?
    ) async throws -> Bool {
        switch origin {
        case .invitation(let message):
            if report.state == .failed { try await invitations.invitationFailed(message) }
            return false
        case .delivery(let origin):
            if report.reason?.isUnsubscribed == true {
                try await textAnswers.stopTexts(to: origin.user, reportedFor: origin.delivery)
            }
            return try await database.write(
                about: .report(report, about: origin.delivery, of: origin.user)
            ) {
                try $0.reportDelivery(
                    origin.delivery, of: origin.user, attempt: origin.attempt, report)
            }
        case nil:
            return try await database.write(about: .report(report)) {
                try $0.reportDelivery(report)
            }
        }
    }
}

extension SafetyNetwork {
    public var providerReports: ProviderReports {
        ProviderReports(core: core, invitations: invitations, textAnswers: textAnswers)
    }
}
