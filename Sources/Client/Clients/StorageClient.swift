import ComposableArchitecture
import Domain
import Foundation

/// Profile pictures on the server. Every error is a `UserFacingError`.
@DependencyClient
public struct StorageClient: Sendable {
    /// `picture` is a PNG or a JPEG.
    public var updateProfilePicture: @Sendable (_ picture: Data) async throws -> UserProfile
    public var removeProfilePicture: @Sendable () async throws -> UserProfile
    public var picture: @Sendable (_ url: URL) async throws -> Data
}

extension StorageClient: TestDependencyKey {
    public static let testValue = StorageClient()
}

@DependencyClient
public struct ImageClient: Sendable {
    /// Returns a picture of at most 512 pixels a side, without metadata such as GPS. Reads PNG and
    /// JPEG, and HEIC on Apple's systems. Throws `UserFacingError` for other data.
    public var prepare: @Sendable (_ picture: Data) async throws -> Data
}

extension ImageClient: TestDependencyKey {
    public static let testValue = ImageClient()
}

extension DependencyValues {
    public var storageClient: StorageClient {
        get { self[StorageClient.self] }
        set { self[StorageClient.self] = newValue }
    }

    public var imageClient: ImageClient {
        get { self[ImageClient.self] }
        set { self[ImageClient.self] = newValue }
    }
}
