import API
import ClientsLive
import TestApp

extension TestApp {
    /// Signs in through the routes, as a device does.
    @discardableResult
    func signIn(
        _ connection: Connection, _ number: String = "+15550100100"
    ) async throws -> TokenResponse {
        try await connection.call(Routes.sendCode, SendCodeRequest(phoneNumber: number))
        return try await connection.signIn(
            SignInRequest(phoneNumber: number, code: try code(for: number), deviceName: "Phone"))
    }
}
