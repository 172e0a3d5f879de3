import Domain
import Foundation
import Persistence

public struct QRCodes: Commands {
    public let core: Core
    let accountNews: AccountNews

    public func qrCode(of caller: Caller) async throws -> QRCodeInfo {
        guard let code = try await database.read({ try $0.qrCode(of: caller.userID) }) else {
            throw CommandError.noSuchUser
        }
        return try info(code.id, createdAt: code.createdAt, owner: caller.userID)
    }

    /// Makes a new code, and announces it to the user's other devices. The old one is invalid as
    /// soon as the transaction commits.
    public func renewQRCode(of caller: Caller) async throws -> QRCodeInfo {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            let now = transaction.now
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            try checkSession(of: caller, in: transaction)
            let id = try renewCode(of: caller.userID, in: transaction)
            try accountNews.announce(.qrCodeRenewed, doneBy: caller, in: transaction)
            return try info(id, createdAt: now, owner: caller.userID)
        }
    }

    @discardableResult
    func renewCode(of user: UserID, in transaction: Transaction) throws -> QRCodeID {
        let id: QRCodeID = newID()
        try transaction.setQRCode(id, of: user)
        try transaction.append(.profileChanged, to: user)
        return id
    }

    /// Returns the owner of a current code. Throws `notFound` for people that the owner has
    /// blocked.
    public func owner(
        ofCode id: QRCodeID, for caller: Caller
    ) async throws -> (id: UserID, name: String) {
        try await database.read { connection in
            guard let me = try connection.user(caller.userID) else { throw CommandError.noSuchUser }
            let owner = try owner(ofCode: id, for: me, in: connection)
            return (id: owner.id, name: owner.displayName)
        }
    }

    /// Returns the name for a visitor who isn't signed in. Throws `notFound` for a code that isn't
    /// current, and for a name that could be an advertisement.
    public func name(ofCode id: QRCodeID) async throws -> String {
        try await database.read { connection in
            guard let owner = try connection.owner(ofCode: id).flatMap({ try connection.user($0) }),
                owner.guestSince == nil,
                let name = try? InvitationRules.sender(owner.displayName)
            else { throw Self.noSuchCode }
            return name
        }
    }

    private static let noSuchCode = CommandError.notFound(RefusalWords.unknownCode.detail)

    /// Throws `notFound` for a code that isn't current, and for people that its owner has blocked.
    func owner(
        ofCode id: QRCodeID, for me: UserRow, in connection: any SQLConnection
    ) throws -> UserRow {
        guard let owner = try connection.owner(ofCode: id).flatMap({ try connection.user($0) }),
            try block(of: me, by: owner.id, in: connection) == nil
        else { throw Self.noSuchCode }
        return owner
    }

    private func info(_ id: QRCodeID, createdAt: Date, owner: UserID) throws -> QRCodeInfo {
        let data = QRCodeData(
            id: id.description, userID: owner.description, timestamp: createdAt,
            appVersion: options.appVersion, deviceModel: "server"
        )
        return QRCodeInfo(
            id: id.description, payload: try data.text(),
            shareLink: QRCodeRules.shareLink(for: id, server: options.publicURL),
            createdAt: createdAt
        )
    }
}
