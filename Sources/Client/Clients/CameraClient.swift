import ComposableArchitecture

/// The permission to use the camera.
@DependencyClient
public struct CameraClient: Sendable {
    /// Returns the permission without asking the person.
    public var permission: @Sendable () async -> CameraPermission = { .unsupported }
    /// Asks the person, unless they have answered before. Returns their answer.
    public var requestPermission: @Sendable () async -> CameraPermission = { .unsupported }
}

public enum CameraPermission: Equatable, Sendable, CaseIterable {
    case undecided, denied, granted
    /// The device lacks a camera, or the front end asks by itself, as a browser's page does.
    case unsupported
}

extension CameraClient: DependencyKey {
    public static let unsupported = CameraClient(
        permission: { .unsupported }, requestPermission: { .unsupported })

    /// The value until an app sets its own.
    public static let liveValue = unsupported
    public static let testValue = unsupported
}

extension DependencyValues {
    public var cameraClient: CameraClient {
        get { self[CameraClient.self] }
        set { self[CameraClient.self] = newValue }
    }
}
