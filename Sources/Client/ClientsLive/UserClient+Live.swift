import API
import Clients
import Domain
import Foundation

extension UserClient {
    static func live(_ desk: Desk) -> UserClient {
        UserClient(
            profile: { try await desk.with(.loadProfile) { try await $0.profile() } },
            profileStream: { desk.stream(\.profiles) },
            updateProfile: { name, note in
                try await desk.submit(
                    .updateProfile, .updateProfile(name: name, emergencyNote: note), \.profile)
            },
            changePhoneNumber: { number, code in
                try await desk.with(.changePhoneNumber) { account in
                    let request = PhoneNumberRequest(
                        phoneNumber: number, code: code,
                        requestID: await desk.codeRequest(for: number))
                    return try await account.perform(
                        { try await $0.call(Routes.changePhoneNumber, request) },
                        { .outcome(.profile($0)) })
                }
            },
            qrCode: {
                try await desk.with(.loadQRCode) {
                    desk.shown(try await $0.connection.call(Routes.qrCode))
                }
            },
            renewQRCode: {
                try await desk.with(.renewQRCode) {
                    desk.shown(try await $0.connection.call(Routes.renewQRCode))
                }
            },
            exportAccount: {
                try await desk.with(.exportAccount) { account in
                    // As the server wrote it: what this version can't read belongs to the person,
                    // too.
                    let bytes = try await account.connection.download(Routes.export.endpoint).bytes
                    guard let json = try? JSONSerialization.jsonObject(with: bytes) else {
                        throw ClientFailure.malformedAnswer
                    }
                    return try JSONSerialization.data(
                        withJSONObject: json,
                        options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
                }
            },
            deleteAccount: {
                try await desk.with(.deleteAccount) { _ in try await desk.deleteAccount() }
            }
        )
    }
}

extension Desk {
    /// The code as this device shows it: the server does not know what it runs on.
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
