import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import QRCode
import SafetyNetwork

extension RouteBuilder {
    func addProfileRoutes(phoneNumbers: PhoneNumberCheck, pictures: PictureIntake) {
        let network = network
        signedIn(Routes.profile) { _, call in
            // Stored before the answer, which contains it. A new user's first profile decides which
            // schedule the onboarding suggests.
            if let zone = call.request.headers[.timeZone] {
                await network.timeZones.noteTimeZone(zone, of: call.caller)
            }
            return try await network.profiles.profile(of: call.caller)
        }
        signedIn(Routes.administratorActs) { _, call in
            List(items: try await network.administration.acts(about: call.caller))
        }
        signedIn(Routes.stopNumberMove) { _, call in
            try await network.numberMoves.stop(of: call.caller)
        }
        signedIn(Routes.updateProfile) { input, call in
            try await network.profiles.updateProfile(
                name: input.name, emergencyNote: input.emergencyNote,
                leavesNoteOutOfCopy: input.leavesNoteOutOfCopy, of: call.caller,
                key: try call.idempotencyKey())
        }
        signedIn(Routes.deleteAccount) { input, call in
            try await network.accountDeletion.deleteAccount(
                of: call.caller, code: input.code, requestID: input.requestID)
            return Empty()
        }
        signedIn(Routes.sendDeletionCode) { _, call in
            return SendCodeResponse(
                requestID: try await network.codes.requestDeletionCode(
                    from: call.context.address, of: call.caller))
        }
        signedIn(Routes.export.endpoint) { call in
            let longWork = call.context.longWork
            let export = try await withTaskExecutorPreference(longWork) {
                try await network.export.export(of: call.caller)
            }
            let body = ResponseBody { writer in
                try await withTaskExecutorPreference(longWork) {
                    try await export.write { try await writer.write(ByteBuffer(bytes: $0)) }
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
        }
        signedIn(Routes.changePhoneNumber) { input, call in
            // The person has received a code at this number, which confirms it.
            let number = try phoneNumbers(
                input.phoneNumber, isConfirmed: true,
                languages: call.request.headers[.acceptLanguage])
            let asker = CodeAsker(requestID: input.requestID, address: call.context.address)
            return try await network.phoneNumberChange.changePhoneNumber(
                to: number, code: input.code, by: asker, of: call.caller)
        }
        addScheduleRoutes()
        addPictureRoutes(pictures)
    }

    private func addScheduleRoutes() {
        let network = network
        signedIn(Routes.updateSettings) { input, call in
            try await network.checkIns.updateSettings(
                input, of: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.pause) { input, call in
            try await network.pauses.pause(
                until: input.until, pressedAt: input.pressedAt, sentAt: call.sentAt,
                of: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.endPause) { input, call in
            try await network.pauses.endPause(
                pressedAt: input.pressedAt, sentAt: call.sentAt, of: call.caller,
                key: try call.idempotencyKey())
        }
    }

    private func addPictureRoutes(_ pictures: PictureIntake) {
        let network = network
        signedIn(Routes.putPicture) { call in
            let clean = try await pictures.read(call) { bytes in
                guard bytes.count <= ProfilePicture.limitInBytes else {
                    throw CommandError.payloadTooLarge(limitInBytes: ProfilePicture.limitInBytes)
                }
                return try Picture.strippingMetadata(bytes)
            }
            try await call.checkAgain(Routes.putPicture, network)
            let contentType = PictureFormat(sniffing: clean) == .png ? "image/png" : "image/jpeg"
            return try Self.answer(
                try await network.profiles.setPicture((contentType, clean), of: call.caller), 200)
        }
        signedIn(Routes.deletePicture) { _, call in
            try await network.profiles.setPicture(nil, of: call.caller)
        }
        signedIn(Routes.picture) { call in
            let picture = try await network.profiles.picture(try call.id(), for: call.caller)
            // Browsers must revalidate, so that the picture disappears after a sign-out or a block.
            // A new picture gets a new id, so the content of an id never changes.
            let tag = "\"\(picture.id)\""
            let headers: HTTPFields = [.cacheControl: "private, no-cache", .eTag: tag]
            guard call.request.headers[.ifNoneMatch] != tag else {
                return Response(status: .notModified, headers: headers)
            }
            return Self.answer(
                bytes: picture.bytes, contentType: picture.contentType, headers: headers)
        }
    }
}
