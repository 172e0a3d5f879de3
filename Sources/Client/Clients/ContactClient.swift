import ComposableArchitecture
import Domain
import Foundation

/// The people that the user watches over or is watched by. Every error is a `UserFacingError`.
@DependencyClient
public struct ContactClient: Sendable {
    /// Loads all contacts from the server; if the server is unreachable, returns this device's
    /// copy.
    public var contacts: @Sendable () async throws -> [ContactData]
    /// This device's contacts: the current list at once, and a new list after each change.
    public var contactsStream: @Sendable () -> AsyncStream<[ContactData]> = { .finished }
    /// Looks up the owner of a code that was scanned, typed, or received in a link.
    public var codeOwner: @Sendable (_ code: String) async throws -> CodeOwner
    /// Adds the owner of a code. Throws `UserFacingError` with the code `already-exists` for an
    /// existing contact.
    public var addContact:
        @Sendable (_ code: String, _ roles: ContactRoles) async throws -> ContactData
    /// Changes a contact's roles.
    public var changeRoles:
        @Sendable (_ id: UserID, _ roles: ContactRoles) async throws -> Submission<ContactData>
    /// Sets the order in which responders are called. Returns all contacts.
    public var orderResponders: @Sendable (_ ids: [UserID]) async throws -> [ContactData]
    /// Ends the relation for both sides.
    public var removeContact: @Sendable (_ id: UserID) async throws -> Void
    /// Removes a responder of the user without telling them.
    public var removeContactQuietly: @Sendable (_ id: UserID) async throws -> Void
    /// Accepts a contact's request: `role` is what they will be to the user.
    public var acceptRequest:
        @Sendable (_ id: UserID, _ role: ContactRole) async throws -> ContactData
    /// Declines a contact's request.
    public var declineRequest: @Sendable (_ id: UserID, _ role: ContactRole) async throws -> Void
    /// Withdraws the user's request to a contact.
    public var withdrawRequest: @Sendable (_ id: UserID, _ role: ContactRole) async throws -> Void
    /// Loads the people that the user has blocked.
    public var blocked: @Sendable () async throws -> [BlockedPerson]
    /// Removes and blocks a contact, who then can't add, ping or see the user.
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
