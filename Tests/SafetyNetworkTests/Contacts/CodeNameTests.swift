import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The link of a code shows its owner's name to visitors who aren't signed in.
@Suite struct CodeNameTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
    }

    private func code() async throws -> QRCodeID {
        try #require(QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
    }

    private func name(_ code: QRCodeID) async -> String? {
        try? await server.network.qrCodes.name(ofCode: code)
    }

    @Test func aCurrentCodeShowsItsOwnersName() async throws {
        #expect(await name(try await code()) == "Ada")
    }

    @Test func anyOtherCodeIsUnknown() async throws {
        let old = try await code()
        _ = try await server.network.qrCodes.renewQRCode(of: ada.caller)
        let unknown = server.environment.id() as QRCodeID
        for id in [old, unknown] {
            let refused = await refusal { try await server.network.qrCodes.name(ofCode: id) }
            #expect(refused?.isNotFound == true)
        }
    }

    @Test func blockInvalidatesTheKnownCode() async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        let known = try await code()
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        #expect(await name(known) == nil)
    }

    @Test func anAdvertisementIsNotShown() async throws {
        _ = try await server.network.profiles.updateProfile(
            name: "Win at 555", emergencyNote: nil, of: ada.caller)
        #expect(await name(try await code()) == nil)
    }
}
