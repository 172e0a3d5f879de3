import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    public func qrCode(of caller: Caller) async throws -> QRCodeInfo {
        guard let code = try await database.read({ try $0.qrCode(of: caller.userID) }) else { throw Self.noSuchUser }
        return try info(code.id, createdAt: code.createdAt, owner: caller.userID)
    }

    /// A new id; the old one is worthless from the commit on.
    public func renewQRCode(of caller: Caller) async throws -> QRCodeInfo {
        try await database.write { transaction in
            let id: QRCodeID = newID()
            let now = now()
            guard try transaction.user(caller.userID) != nil else { throw Self.noSuchUser }
            try transaction.setQRCode(id, of: caller.userID, at: now)
            try transaction.append(.profileChanged, to: caller.userID, at: now)
            return try info(id, createdAt: now, owner: caller.userID)
        }
    }

    /// Who is behind a code: id and name. Whoever holds the current code may know.
    public func owner(ofCode id: QRCodeID) async throws -> (id: UserID, name: String) {
        let owner = try await database.read { connection in
            try connection.owner(ofCode: id).flatMap { user in try connection.userName(user).map { (user, $0) } }
        }
        guard let owner else { throw CommandError.notFound("This code is not valid any more. Ask for the present one.") }
        return (id: owner.0, name: owner.1)
    }

    private func info(_ id: QRCodeID, createdAt: Date, owner: UserID) throws -> QRCodeInfo {
        let data = QRCodeData(
            id: id.description, userID: owner.description, timestamp: createdAt, appVersion: options.appVersion, deviceModel: "server"
        )
        return QRCodeInfo(
            id: id.description, payload: try data.text(), shareLink: QRCodeRules.shareLink(for: id, server: options.publicURL),
            createdAt: createdAt
        )
    }
}
