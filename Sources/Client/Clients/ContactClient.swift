import ComposableArchitecture
import Domain
import Foundation

/// The people one watches over and is watched by. Every error is a `UserFacingError`.
@DependencyClient
public struct ContactClient: Sendable {
    /// All contacts as the server has them; the device's copy when it can't be reached.
    public var contacts: @Sendable () async throws -> [ContactData]
    /// All contacts as this device has them, at once, and again after each change.
    public var contactsStream: @Sendable () -> AsyncStream<[ContactData]> = { .finished }
    /// The owner of a code that was scanned, typed, or came by a link.
    public var codeOwner: @Sendable (_ code: String) async throws -> CodeOwner
    /// Adds the person whose code this is. Throws `UserFacingError`, with the code `already-exists`
    /// for a contact that is there already.
    public var addContact:
        @Sendable (_ code: String, _ roles: ContactRoles) async throws -> ContactData
    /// Changes what a contact is to the user.
    public var changeRoles:
        @Sendable (_ id: UserID, _ roles: ContactRoles) async throws -> Submission<ContactData>
    /// Sets the order in which responders are called, and returns all contacts.
    public var orderResponders: @Sendable (_ ids: [UserID]) async throws -> [ContactData]
    /// Ends the relation for both sides.
    public var removeContact: @Sendable (_ id: UserID) async throws -> Void
    /// Agrees to what a contact has asked for: `role` is what they will be to the user.
    public var acceptRequest:
        @Sendable (_ id: UserID, _ role: ContactRole) async throws -> ContactData
    /// Says no to what a contact has asked for.
    public var declineRequest: @Sendable (_ id: UserID, _ role: ContactRole) async throws -> Void
    /// Takes back what the user has asked a contact for.
    public var withdrawRequest: @Sendable (_ id: UserID, _ role: ContactRole) async throws -> Void
    /// The people whom the user has blocked.
    public var blocked: @Sendable () async throws -> [BlockedPerson]
    /// Removes a contact who can't add, ping or see the user from then on.
    public var block: @Sendable (_ id: UserID) async throws -> BlockedPerson
    public var unblock: @Sendable (_ id: UserID) async throws -> Void
}

/// The person behind a code, before they are a contact.
public struct CodeOwner: Equatable, Sendable {
    public var id: UserID
    public var name: String

    public init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }
}

extension ContactClient: TestDependencyKey {
    public static let testValue = ContactClient()
}

extension DependencyValues {
    public var contactClient: ContactClient {
        get { self[ContactClient.self] }
        set { self[ContactClient.self] = newValue }
    }
}
