import ComposableArchitecture
import Domain
import Foundation

/// The user's contacts. Every error is a `UserFacingError`.
@DependencyClient
public struct ContactClient: Sendable {
    /// Falls back to this device's copy if the server is unreachable.
    public var contacts: @Sendable () async throws -> [ContactData]
    /// Like `contacts`, but throws if the server is unreachable.
    public var loadedContacts: @Sendable () async throws -> [ContactData]
    /// Yields this device's contacts, now and after each change.
    public var contactsStream: @Sendable () -> AsyncStream<[ContactData]> = { .finished }
    public var codeOwner: @Sendable (_ code: String) async throws -> CodeOwner
    /// Adds the owner of a code. For an existing contact, throws `UserFacingError` with the code
    /// `already-exists`.
    public var addContact:
        @Sendable (_ code: String, _ roles: ContactRoles) async throws -> ContactData
    /// Changes only this role, or both for nil. The other role stays as another device or the
    /// contact may have changed it.
    public var changeRoles:
        @Sendable (_ id: UserID, _ roles: ContactRoles, _ only: ContactRole?) async throws ->
            Submission<ContactData>
    /// Returns all contacts.
    public var orderResponders: @Sendable (_ ids: [UserID]) async throws -> [ContactData]
    /// Ends the relation for both sides.
    public var removeContact: @Sendable (_ id: UserID) async throws -> Void
    /// Removes a responder of the user without telling them.
    public var removeContactQuietly: @Sendable (_ id: UserID) async throws -> Void
    /// Accepts a contact's request to become the user's `role`.
    public var acceptRequest:
        @Sendable (_ id: UserID, _ role: ContactRole) async throws -> ContactData
    public var declineRequest: @Sendable (_ id: UserID, _ role: ContactRole) async throws -> Void
    /// Withdraws the user's request to a contact.
    public var withdrawRequest: @Sendable (_ id: UserID, _ role: ContactRole) async throws -> Void
    public var blocked: @Sendable () async throws -> [BlockedPerson]
    /// Removes and blocks a contact, who then can't add, ping or see the user.
    public var block: @Sendable (_ id: UserID) async throws -> BlockedPerson
    public var unblock: @Sendable (_ id: UserID) async throws -> Void
}

/// The owner of a code, as the user sees them before adding them as a contact.
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
