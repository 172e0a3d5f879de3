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
                        phoneNumber: number, code: code, requestID: await desk.codeRequest(for: number))
                    return try await account.perform({ try await $0.call(Routes.changePhoneNumber, request) }, { .outcome(.profile($0)) })
                }
            },
            qrCode: { try await desk.with(.loadQRCode) { try await $0.connection.call(Routes.qrCode) } },
            renewQRCode: { try await desk.with(.renewQRCode) { try await $0.connection.call(Routes.renewQRCode) } },
            exportAccount: {
                try await desk.with(.exportAccount) { account in
                    let encoder = WireJSON.encoder()
                    encoder.outputFormatting.insert(.prettyPrinted)
                    return try encoder.encode(try await account.connection.call(Routes.export))
                }
            },
            deleteAccount: { try await desk.with(.deleteAccount) { _ in try await desk.deleteAccount() } }
        )
    }
}
