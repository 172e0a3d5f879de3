import API
import Clients
import Domain

extension InvitationClient {
    static func live(_ controller: SessionController) -> InvitationClient {
        InvitationClient(
            invitations: {
                try await controller.with(.loadInvitations) {
                    try await $0.connection.call(Routes.invitations).items
                }
            },
            invite: { name, recipient, isConfirmed in
                try await controller.with(.invite) {
                    try await $0.connection.call(
                        Routes.invite,
                        InvitationRequest(
                            name: name, phoneNumber: recipient.digits,
                            emailAddress: recipient.address?.text,
                            isConfirmed: isConfirmed ? true : nil))
                }
            },
            withdraw: { id in
                try await controller.with(.withdrawInvitation) {
                    _ = try await $0.connection.call(Routes.withdrawInvitation, id: id.uuid)
                }
            })
    }
}
