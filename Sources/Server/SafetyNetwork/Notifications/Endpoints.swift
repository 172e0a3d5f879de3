import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// The caller's push endpoints, and how they do.
    public func devices(of caller: Caller) async throws -> [Device] {
        try await database.read { try $0.devices(of: caller.userID) }
    }

    /// Tells the owner of an endpoint that it does not work, in the transaction that found out.
    public func tellOwner(_ notice: EndpointNotice, in transaction: Transaction) throws {
        guard let owner = try transaction.user(notice.userID) else { return }
        let host = notice.url.host ?? "Your endpoint"
        let text: NotificationText =
            switch notice.news {
            case .gone: .endpointIsGone(host: host, status: notice.reason.code ?? 410)
            case .givenUp: .endpointGivenUp(host: host)
            }
        try tell(Recipient(owner), Telling(text: text), at: now(), in: transaction)
    }
}
