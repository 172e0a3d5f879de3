import API
import Clients
import Domain

extension ContactClient {
    static func live(_ controller: SessionController) -> ContactClient {
        ContactClient(
            contacts: { try await controller.with(.loadContacts) { try await $0.contactList() } },
            loadedContacts: {
                try await controller.with(.loadContacts) { try await $0.loadedContacts() }
            },
            contactsStream: { controller.stream(\.contacts) },
            codeOwner: { code in
                try await controller.with(.lookUpQRCode) { account in
                    let owner = try await account.connection.call(
                        Routes.qrCodeOwner, id: try QRCodeRules.id(in: code).uuid)
                    guard owner.id != account.userID else { throw ContactRules.ownCode }
                    return CodeOwner(id: owner.id, name: owner.name)
                }
            },
            addContact: { code, roles in
                try await controller.with(.addContact) { account in
                    // Rejects text that is not a code, even offline.
                    _ = try QRCodeRules.id(in: code)
                    let request = AddContactRequest(
                        code: code, isResponder: roles.isResponder, isDependent: roles.isDependent)
                    return try await account.perform(
                        { try await $0.call(Routes.addContact, request) },
                        { .reply(.contact($0)) })
                }
            },
            changeRoles: { id, roles, only in
                try await controller.submit(.changeRoles(id, roles, only: only), \.contact)
            },
            orderResponders: { ids in
                try await controller.with(.orderResponders) { try await $0.orderResponders(ids) }
            },
            removeContact: { id in
                try await controller.with(.removeContact) { try await $0.removeContact(id) }
            },
            removeContactQuietly: { id in
                try await controller.with(.removeContactQuietly) {
                    try await $0.removeContactQuietly(id)
                }
            },
            acceptRequest: { id, role in
                try await controller.with(.acceptRequest) { account in
                    try await account.perform(
                        { try await $0.call(Routes.acceptRequest(role), id: id.uuid) },
                        { .reply(.contact($0)) })
                }
            },
            declineRequest: { id, role in
                try await controller.with(.declineRequest) {
                    try await $0.endRequest(role, with: id)
                }
            },
            withdrawRequest: { id, role in
                try await controller.with(.withdrawRequest) {
                    try await $0.endRequest(role, with: id)
                }
            },
            blocked: {
                try await controller.with(.loadBlocks) {
                    try await $0.connection.call(Routes.blocks).items
                }
            },
            block: { id in try await controller.with(.block) { try await $0.block(id) } },
            unblock: { id in
                try await controller.with(.unblock) { account in
                    _ = try await account.connection.call(Routes.unblock, id: id.uuid)
                }
            }
        )
    }
}

/// A list that can't be loaded after an action doesn't mean that the action failed.
extension Account {
    fileprivate func orderResponders(_ ids: [UserID]) async throws -> [ContactData] {
        _ = try await connection.call(Routes.orderResponders, ResponderOrder(ids: ids))
        do {
            try await reload([.contacts])
        } catch {
            for var contact in mirror.model.contacts {
                contact.position = ids.firstIndex(of: contact.id)
                receive(Mirror.Change.reply(.contact(contact)))
            }
            sync.want([.contacts])
        }
        return shown.contacts
    }

    fileprivate func removeContact(_ id: UserID) async throws {
        try await connection.call(Routes.removeContact, id: id.uuid)
        receive(.event(.contactRemoved(.init(contactID: id)), at: serverTime))
    }

    /// Removes a contact without telling them. An older server lacks this route and answers 404. In
    /// that case, this throws `noQuietRemoval`.
    fileprivate func removeContactQuietly(_ id: UserID) async throws {
        do {
            try await connection.call(Routes.removeContactQuietly, id: id.uuid)
        } catch let failure as ClientFailure where failure.code == .notFound {
            try await reload([.contacts])
            guard mirror.model.contacts.contains(where: { $0.id == id }) else { throw failure }
            throw UserFacingError.noQuietRemoval
        }
        receive(.event(.contactRemoved(.init(contactID: id)), at: serverTime))
    }

    /// Declines the contact's request or withdraws the user's own. A contact without any other role
    /// or request leaves the list.
    fileprivate func endRequest(_ role: ContactRole, with id: UserID) async throws {
        try await connection.call(Routes.endRequest(role), id: id.uuid)
        if let relation = mirror.model.contacts.first(where: { $0.id == id })?.relation,
            try relation.withoutRequest(role).isEmpty
        {
            receive(.event(.contactRemoved(.init(contactID: id)), at: serverTime))
            return
        }
        do {
            try await reload([.contacts])
        } catch {
            if var contact = mirror.model.contacts.first(where: { $0.id == id }) {
                contact.relation[role] = .absent
                receive(Mirror.Change.reply(.contact(contact)))
            }
            sync.want([.contacts])
        }
    }

    fileprivate func block(_ id: UserID) async throws -> BlockedPerson {
        let person = try await connection.call(Routes.block, id: id.uuid)
        receive(.event(.contactRemoved(.init(contactID: id)), at: serverTime))
        return person
    }
}
