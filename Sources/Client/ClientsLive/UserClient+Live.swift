import API
import Clients
import Domain
import Foundation

extension UserClient {
    static func live(_ controller: SessionController) -> UserClient {
        UserClient(
            profile: { try await controller.with(.loadProfile) { try await $0.profile() } },
            loadedProfile: {
                try await controller.with(.loadProfile) { try await $0.loadedProfile() }
            },
            profileStream: { controller.stream(\.profiles) },
            updateProfile: { name, note in
                try await controller.submit(
                    .updateProfile(name: name, emergencyNote: note), \.profile)
            },
            setLeavesNoteOutOfCopy: {
                try await controller.submit(.leaveNoteOutOfCopy($0), \.profile)
            },
            changePhoneNumber: { number, code in
                try await controller.with(.changePhoneNumber) { account in
                    let request = PhoneNumberRequest(
                        phoneNumber: number, code: code,
                        requestID: await controller.codeRequest(for: number))
                    return try await account.perform(
                        { try await $0.call(Routes.changePhoneNumber, request) },
                        { .reply(.profile($0)) })
                }
            },
            emailStatus: {
                try await controller.with(.loadEmail) {
                    try await $0.connection.call(Routes.email)
                }
            },
            setEmailAddress: { address in
                try await controller.with(.setEmail) {
                    try await $0.connection.call(Routes.setEmail, EmailRequest(address: address))
                }
            },
            confirmEmailAddress: { code in
                try await controller.with(.confirmEmail) {
                    try await $0.connection.call(
                        Routes.confirmEmail, EmailCodeRequest(code: code))
                }
            },
            removeEmailAddress: {
                try await controller.with(.removeEmail) {
                    _ = try await $0.connection.call(Routes.deleteEmail)
                }
            },
            qrCode: {
                try await controller.with(.loadQRCode) {
                    controller.shown(try await $0.connection.call(Routes.qrCode))
                }
            },
            renewQRCode: {
                try await controller.with(.renewQRCode) {
                    controller.shown(try await $0.connection.call(Routes.renewQRCode))
                }
            },
            exportAccount: {
                try await controller.with(.exportAccount) { account in
                    // Doesn't decode the server's text, because fields that this version doesn't
                    // know belong to the person, too.
                    let bytes = try await account.connection.download(Routes.export.endpoint).bytes
                    guard let json = try? JSONSerialization.jsonObject(with: bytes) else {
                        throw ClientFailure.malformedAnswer
                    }
                    return try JSONSerialization.data(
                        withJSONObject: json,
                        options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
                }
            },
            deleteAccount: { code in
                try await controller.with(.deleteAccount) { _ in
                    try await controller.deleteAccount(code: code)
                }
            }
        )
    }
}

extension SessionController {
    /// Returns the code with this app's version and this device's model, which the server does not
    /// know.
    fileprivate nonisolated func shown(_ info: QRCodeInfo) -> QRCodeInfo {
        guard
            let data = try? WireJSON.decoder().decode(
                QRCodeData.self, from: Data(info.payload.utf8)),
            let text = try? QRCodeData(
                id: data.id, userID: data.userID, timestamp: data.timestamp,
                appVersion: options.appVersion, deviceModel: options.deviceModel
            ).text()
        else { return info }
        var info = info
        info.payload = text
        return info
    }
}
