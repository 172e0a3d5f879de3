import API
import Clients
import Domain

/// Push messages to an app. The endpoint belongs to the session, and ends with it.
extension LiveClients {
    /// Registers the app's device token, in hexadecimal digits. The same endpoint takes each new
    /// token. Throws `UserFacingError`.
    public func registerApp(
        token: String, in environment: APNsEnvironment
    ) async throws -> PushEndpointID {
        try await controller.with(.saveDevice) { _ in
            try await controller.registerPushEndpoint(
                PushEndpointRequest(kind: .apns, token: token, environment: environment))
        }
    }

    /// Takes the registration back. Without a connection the endpoint stays on the server until
    /// the session ends; messages to it go nowhere, since the device takes none.
    public func forgetPushEndpoint() async {
        try? await controller.forgetPushEndpoint(retry: .once)
    }
}
