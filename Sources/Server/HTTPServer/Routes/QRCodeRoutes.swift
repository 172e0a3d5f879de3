import API
import Domain
import HTTPTypes
import Hummingbird
import QRCode
import SafetyNetwork

extension RouteBuilder {
    func addQRCodeRoutes(pictures: PictureIntake) {
        let network = network
        signedIn(Routes.qrCode) { _, call in try await network.qrCodes.qrCode(of: call.caller) }
        signedIn(Routes.renewQRCode) { _, call in
            try await network.qrCodes.renewQRCode(of: call.caller)
        }
        signedIn(Routes.qrCodePicture) { call in
            let payload = try await network.qrCodes.qrCode(of: call.caller).payload
            let image = try await pictures.draw(for: call.caller.userID) {
                () throws(QRCodeError) in try QRCode.encode(payload)
            }
            return Self.answer(bytes: image.png, contentType: "image/png")
        }
        signedIn(Routes.qrCodeOwner) { _, call in
            let owner = try await network.qrCodes.owner(ofCode: try call.id(), for: call.caller)
            return QRCodeOwner(id: owner.id, name: owner.name)
        }
        open(Routes.qrCodeName) { _, call in
            QRCodeName(name: try await network.qrCodes.name(ofCode: try call.id()))
        }
        signedIn(Routes.decodeQRCode) { call in
            let text = try await pictures.read(call) { try QRCode.decode($0) }
            return try Self.answer(DecodedQRCode(text: text), 200)
        }
    }
}
