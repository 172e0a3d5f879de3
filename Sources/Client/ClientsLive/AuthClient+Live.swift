import API
import Clients
import Domain

extension AuthClient {
    static func live(_ desk: Desk) -> AuthClient {
        AuthClient(
            sendCode: { number in
                try await desk.inWords(.sendCode) { try await desk.sendCode(to: number) }
            },
            signIn: { number, code in
                try await desk.inWords(.verifyCode) { try await desk.signIn(number, code: code) }
            },
            session: { try? await desk.restore() },
            signOut: { try await desk.inWords(.signOut) { try await desk.signOut() } },
            signOutDiscardingQueue: { await desk.signOutDiscardingQueue() },
            sessionEnded: { desk.endings.stream() },
            sessions: {
                try await desk.with(.loadSessions) {
                    try await $0.connection.call(Routes.sessions).items
                }
            },
            endSession: { id in
                try await desk.with(.endSession) {
                    _ = try await $0.connection.call(Routes.endSession, id: id.uuid)
                }
            }
        )
    }
}
