import Foundation
import IssueReporting

#if canImport(SwiftUI)
import SwiftUI
#endif

extension DependencyValues {
    /// Opens a URL: `await openURL(url)`.
    ///
    /// Where there is no SwiftUI the live value opens nothing and gives `false`. In a test it
    /// reports an issue until it is set.
    public var openURL: OpenURLEffect {
        get { self[OpenURLKey.self] }
        set { self[OpenURLKey.self] = newValue }
    }

    private enum OpenURLKey: DependencyKey {
        static var liveValue: OpenURLEffect { .live }
        static var testValue: OpenURLEffect {
            OpenURLEffect { _ in
                reportIssue(#"Unimplemented: @Dependency(\.openURL)"#)
                return false
            }
        }
    }
}

/// Opens URLs.
public struct OpenURLEffect: Sendable {
    private let handler: @Sendable (URL) async -> Bool

    /// - Parameter handler: Opens a URL, and says whether it could.
    public init(handler: @escaping @Sendable (URL) async -> Bool) {
        self.handler = handler
    }

    /// Opens a URL.
    ///
    /// - Returns: Whether it was opened.
    @discardableResult
    public func callAsFunction(_ url: URL) async -> Bool {
        await self.handler(url)
    }

    /// Opens a URL and does not wait for it.
    @_disfavoredOverload
    public func callAsFunction(_ url: URL) {
        let handler = self.handler
        Task { await handler(url) }
    }

    #if canImport(SwiftUI)
    static var live: Self {
        Self { url in await openInSystem(url) }
    }

    @MainActor
    private static func openInSystem(_ url: URL) async -> Bool {
        #if os(watchOS)
        EnvironmentValues().openURL(url)
        return true
        #else
        await withCheckedContinuation { continuation in
            EnvironmentValues().openURL(url) { continuation.resume(returning: $0) }
        }
        #endif
    }
    #else
    static var live: Self {
        Self { _ in false }
    }
    #endif
}
