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

    /// Registers or moves a push endpoint of the session that asks. Returns the secret that signs
    /// what is sent there; it is derived from the server's key and stored nowhere.
    public func saveDevice(_ id: DeviceID, kind: Device.Kind, url: URL, of caller: Caller)
        async throws -> (device: Device, secret: Data)
    {
        let device = try await database.write { transaction in
            guard try transaction.user(caller.userID) != nil else { throw Self.noSuchUser }
            let existing = try transaction.devices(of: caller.userID)
            let known = existing.first { $0.id == id }
            guard known != nil || existing.count < Device.limit else {
                throw CommandError.invalidArgument(
                    field: "id", "A user has at most \(Device.limit) endpoints.")
            }
            let device = Device(id: id, kind: kind, url: url, createdAt: known?.createdAt ?? now())
            try transaction.save(device, of: caller.userID, session: caller.sessionID)
            return device
        }
        return (device, key.webhookSecret(user: caller.userID.uuid, device: id.uuid))
    }

    public func deleteDevice(_ id: DeviceID, of caller: Caller) async throws {
        try await database.write { transaction in
            guard try transaction.devices(of: caller.userID).contains(where: { $0.id == id }) else {
                throw CommandError.notFound("There is no such endpoint.")
            }
            try transaction.forgetDevice(id, of: caller.userID)
        }
    }
}
