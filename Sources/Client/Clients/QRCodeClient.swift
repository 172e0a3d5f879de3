import ComposableArchitecture
import Domain
import Foundation

/// Writes and reads QR codes. Every error is a `UserFacingError`.
@DependencyClient
public struct QRCodeClient: Sendable {
    public var generateQRCode: @Sendable (_ for: String) async throws -> QRCodeImage
    /// Reads the code in a PNG or JPEG picture. Throws if the picture has no code.
    public var decode: @Sendable (_ picture: Data) async throws -> String
}

extension QRCodeClient: TestDependencyKey {
    public static let testValue = QRCodeClient()
}

extension DependencyValues {
    public var qrCodeClient: QRCodeClient {
        get { self[QRCodeClient.self] }
        set { self[QRCodeClient.self] = newValue }
    }
}
