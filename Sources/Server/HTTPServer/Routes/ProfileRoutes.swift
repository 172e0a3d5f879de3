import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import QRCode
import SafetyNetwork

extension RouteBuilder {
    func addProfileRoutes(
        phoneNumbers: PhoneNumberCheck, pictures: PictureIntake, trustsProxy: Bool
    ) {
        let network = network
        signedIn(Routes.profile) { _, call in try await network.profile(of: call.caller) }
        signedIn(Routes.updateProfile) { input, call in
            try await network.updateProfile(
                name: input.name, emergencyNote: input.emergencyNote, of: call.caller,
                key: try call.idempotencyKey())
        }
        signedIn(Routes.deleteAccount) { _, call in
            try await network.deleteAccount(of: call.caller)
            return Empty()
        }
        signedIn(Routes.export.endpoint) { call in
            let export = try await network.export(of: call.caller)
            let body = ResponseBody { writer in
                try await export.write { try await writer.write(ByteBuffer(bytes: $0)) }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
        }
        signedIn(Routes.changePhoneNumber) { input, call in
            let number = try PhoneNumber(input.phoneNumber)
            try phoneNumbers(number)
            let address = call.call.context.address(of: call.call.request, trustsProxy: trustsProxy)
            let asker = CodeAsker(requestID: input.requestID, address: address)
            return try await network.changePhoneNumber(
                to: number, code: input.code, by: asker, of: call.caller)
        }
        signedIn(Routes.updateSettings) { input, call in
            try await network.updateSettings(input, of: call.caller, key: try call.idempotencyKey())
        }

        signedIn(Routes.putPicture) { call in
            let clean = try await pictures.read(call) { bytes in
                guard bytes.count <= ProfilePicture.limitInBytes else {
                    throw CommandError.payloadTooLarge(limitInBytes: ProfilePicture.limitInBytes)
                }
                return try Picture.strippingMetadata(bytes)
            }
            let contentType = PictureFormat(sniffing: clean) == .png ? "image/png" : "image/jpeg"
            return try Self.answer(
                try await network.setPicture((contentType, clean), of: call.caller), 200)
        }
        signedIn(Routes.deletePicture) { _, call in
            try await network.setPicture(nil, of: call.caller)
        }
        signedIn(Routes.picture) { call in
            let picture = try await network.picture(try call.id(), for: call.caller)
            // The id changes with the picture, so what is behind an id never does.
            return Self.answer(
                bytes: picture.bytes, contentType: picture.contentType,
                headers: [.cacheControl: "private, max-age=86400, immutable"])
        }
    }
}
