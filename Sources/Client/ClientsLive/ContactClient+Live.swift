import API
import Clients
import Domain

extension ContactClient {
    static func live(_ desk: Desk) -> ContactClient {
        ContactClient(
            contacts: { try await desk.with(.loadContacts) { try await $0.contactList() } },
            contactsStream: { desk.stream(\.contacts) },
            codeOwner: { code in
                try await desk.with(.lookUpQRCode) { account in
                    let owner = try await account.connection.call(
                        Routes.qrCodeOwner, id: try QRCodeRules.id(in: code).uuid)
                    guard owner.id != account.userID else { throw ContactRules.ownCode }
                    return CodeOwner(id: owner.id, name: owner.name)
                }
            },
            addContact: { code, roles in
                try await desk.with(.addContact) { account in
                    // Rejects text that is no code, also offline.
                    _ = try QRCodeRules.id(in: code)
                    let request = AddContactRequest(
                        code: code, isResponder: roles.isResponder, isDependent: roles.isDependent)
                    return try await account.perform(
                        { try await $0.call(Routes.addContact, request) },
                        { .outcome(.contact($0)) })
                }
            },
            changeRoles: { id, roles in
                try await desk.submit(.changeRoles, .changeRoles(id, roles), \.contact)
            },
            removeContact: { id in
                try await desk.with(.removeContact) { try await $0.removeContact(id) }
            },
            acceptRequest: { id, role in
                try await desk.with(.acceptRequest) { account in
                    try await account.perform(
                        { try await $0.call(Routes.acceptRequest(role), id: id.uuid) },
                        { .outcome(.contact($0)) })
                }
            },
            declineRequest: { id, role in
                try await desk.with(.declineRequest) { try await $0.endRequest(role, with: id) }
            },
            withdrawRequest: { id, role in
                try await desk.with(.withdrawRequest) { try await $0.endRequest(role, with: id) }
            },
            blocked: {
                try await desk.with(.loadBlocks) {
                    try await $0.connection.call(Routes.blocks).items
                }
            },
            block: { id in try await desk.with(.block) { try await $0.block(id) } },
            unblock: { id in
                try await desk.with(.unblock) { account in
                    _ = try await account.connection.call(Routes.unblock, id: id.uuid)
                }
            }
        )
    }
}
