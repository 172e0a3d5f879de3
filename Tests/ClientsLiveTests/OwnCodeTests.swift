import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct OwnCodeTests {
    @Test func codeNamesTheDevice() async throws {
        let app = try TestApp(.memory)
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        for info in [
            try await home.values.userClient.qrCode(),
            try await home.values.userClient.renewQRCode(),
        ] {
            let data = try WireJSON.decoder().decode(QRCodeData.self, from: Data(info.payload.utf8))
            #expect(data.deviceModel == "Model 7" && data.appVersion == "2.5")
            #expect(try QRCodeRules.id(in: info.payload).description == info.id)
        }
        await home.clients.stop()
    }
}
