@testable import SafetyNetwork

/// A test that starts several servers, one after the other, with one database.
protocol ServesAgain {
    var environment: TestEnvironment { get }
    var folder: TestFolder { get }
}

extension ServesAgain {
    func serve<Value>(
        isSMSAvailable: Bool = false, _ story: (TestServer) async throws -> Value
    ) async throws -> Value {
        let server = try TestServer(
            environment, path: folder.database,
            options: { $0.isSMSAvailable = isSMSAvailable })
        try await server.network.serverLife.wake()
        let value = try await story(server)
        try server.engine.close()
        return value
    }
}
