import Foundation

/// One act of an administrator, as the append-only log has it (product.md, "Administrators").
public struct AdminAct: Codable, Equatable, Sendable, Identifiable {
    public enum Kind: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The kinds that are sent.
        public static let allCases: [Kind] = [
            .lock, .unlock, .delete, .announce, .move, .test, .export, .importPerson, .invite,
            .revoke, .rotateKey, .forgetKeys,
        ]

        case lock, unlock, delete, announce, move, test, export, invite, revoke
        case importPerson = "import"
        case rotateKey = "rotate-key"
        case forgetKeys = "forget-keys"
        case unknown
    }

    public var id: AdminActID
    public var time: Date
    public var kind: Kind
    public var reason: String
    /// The name of the administrator's user on the server's machine.
    public var doneBy: String

    public init(id: AdminActID, time: Date, kind: Kind, reason: String, doneBy: String) {
        self.id = id
        self.time = time
        self.kind = kind
        self.reason = reason
        self.doneBy = doneBy
    }
}
