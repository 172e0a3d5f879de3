@testable import SafetyNetwork

/// A story with several starts of a server on one database.
protocol ServesAgain {
    var world: World { get }
    var folder: TestFolder { get }
}

extension ServesAgain {
    func serve<Value>(_ story: (Town) async throws -> Value) async throws -> Value {
        let town = try Town(world, path: folder.database)
        try await town.network.wake()
        let value = try await story(town)
        try town.engine.close()
        return value
    }
}
