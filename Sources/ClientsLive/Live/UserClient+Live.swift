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
                try await desk.submit(.updateProfile, .updateProfile(name: name, emergencyNote: note), \.profile)
            },
            changePhoneNumber: { number, code in
                try await desk.with(.changePhoneNumber) { account in
                    let request = PhoneNumberRequest(
                        phoneNumber: number, code: code,
                        requestID: await desk.codeRequest(for: number))
                    return try await account.perform({ try await $0.call(Routes.changePhoneNumber, request) }, { .outcome(.profile($0)) })
                }
            },
            qrCode: { try await desk.with(.loadQRCode) { try await $0.connection.call(Routes.qrCode) } },
            renewQRCode: { try await desk.with(.renewQRCode) { try await $0.connection.call(Routes.renewQRCode) } },
            exportAccount: {
                try await desk.with(.exportAccount) { account in
                    // As the server wrote it: what this version can't read belongs to the person, too.
                    let bytes = try await account.connection.download(Routes.export.endpoint).bytes
                    guard let json = try? JSONSerialization.jsonObject(with: bytes) else {
                        throw ClientFailure.malformedAnswer
                    }
                    return try JSONSerialization.data(
                        withJSONObject: json,
                        options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
                }
            },
            deleteAccount: { try await desk.with(.deleteAccount) { _ in try await desk.deleteAccount() } }
        )
    }
}
