@_exported import Foundation
@_exported import FoundationNetworking

// Parts of Apple's Foundation that Linux lacks.
extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        fatalError()
    }

    public var sessionSendsLaunchEvents: Bool {
        get { fatalError() }
        set { fatalError() }
    }
}

extension URLSession {
    public var allTasks: [URLSessionTask] { get async { fatalError() } }
}

extension FileManager {
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? { nil }
}

@available(iOS 15.0, *)
extension URLSession {
    public struct AsyncBytes: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> UInt8? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) { fatalError() }
}

@available(iOS 16.0, *)
extension URL {
    public static var applicationSupportDirectory: URL { URL(fileURLWithPath: "/") }
}

extension ProcessInfo {
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) { fatalError() }
}
