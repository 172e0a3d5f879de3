import API
import Clients
import Domain
import TaskWork

extension AuthClient {
    static func live(_ controller: SessionController) -> AuthClient {
        AuthClient(
            sendCode: { number, isConfirmed in
                try await controller.inWords(.sendCode) {
                    try await controller.sendCode(to: number, isConfirmed: isConfirmed)
                }
            },
            join: { number, isConfirmed, pass in
                try await controller.inWords(.sendCode) {
                    try await controller.join(number, isConfirmed: isConfirmed, pass)
                }
            },
            signInOptions: { try? await controller.connection.call(Routes.signInOptions) },
            inviter: { code in
                guard let id = try? QRCodeRules.id(in: code) else { return nil }
                return try? await controller.connection.call(Routes.qrCodeName, id: id.uuid).name
            },
            signIn: { number, code in
                try await controller.inWords(.verifyCode) {
                    try await controller.signIn(number, code: code)
                }
            },
            recover: { number, code in
                try await controller.inWords(.recover) {
                    try await controller.signIn(number, recoveryCode: code)
                }
            },
            session: {
                try? await inChildTask { try await controller.restore() }
            },
            signOut: { try await controller.inWords(.signOut) { try await controller.signOut() } },
            signOutDiscardingQueue: { await controller.signOutDiscardingQueue($0) },
            sessionEnded: { controller.endings.stream() },
            sessions: {
                try await controller.with(.loadSessions) {
                    try await $0.connection.call(Routes.sessions).items
                }
            },
            endSession: { id in
                try await controller.with(.endSession) {
                    _ = try await $0.connection.call(Routes.endSession, id: id.uuid)
                }
            }
        )
    }
}
