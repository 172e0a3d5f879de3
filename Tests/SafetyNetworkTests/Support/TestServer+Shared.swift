import Cryptography
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

extension TestServer {
    /// Returns another server on the same database, which it treats as shared.
    func another(
        key: UInt8 = 7, accepts: Bool = false,
        options change: (inout SafetyNetwork.Options) -> Void = { _ in }
    ) throws -> SafetyNetwork {
        try another(
            on: CheckedDatabase(engine, isShared: true), key: key, accepts: accepts,
            options: change)
    }

    func another(
        on database: any DatabaseEngine, key: UInt8 = 7, accepts: Bool = false,
        options change: (inout SafetyNetwork.Options) -> Void = { _ in }
    ) throws -> SafetyNetwork {
        var options = SafetyNetwork.Options(
            publicURL: try #require(URL(string: "https://lifesignal.example")))
        options.acceptsNewKey = accepts
        change(&options)
        return SafetyNetwork(
            database: database, options: options,
            key: try #require(ServerKey(bytes: Data(repeating: key, count: 32))),
            environment: .init { _, _ in })
    }
}
