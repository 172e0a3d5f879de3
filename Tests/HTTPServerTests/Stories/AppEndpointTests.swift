import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct AppEndpointTests {
    private let server: TestServer
    private let ada, ben: Person
    private let token = String(repeating: "0aF9", count: 16)

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
    }

    private func register(
        _ number: UInt8, _ request: PushEndpointRequest, by person: Person
    ) async throws -> PushEndpointResponse {
        try await server.call(
            Routes.savePushEndpoint, request, id: "\(id(number) as PushEndpointID)", by: person)
    }

    private func list(_ person: Person) async throws -> [PushEndpoint] {
        try await server.call(Routes.pushEndpoints, by: person).items
    }

    @Test func appsOfBothPlatformsRegister() async throws {
        let apns = try await register(
            8, PushEndpointRequest(kind: .apns, token: token, environment: .sandbox), by: ada)
        #expect(apns.kind == .apns && apns.signingSecret == nil)
        #expect(apns.url.absoluteString == "apns://sandbox/\(token.lowercased())")
        let fcm = try await register(
            9, PushEndpointRequest(kind: .fcm, token: "fcm-token:of_a.device"), by: ada)
        #expect(fcm.url.absoluteString == "fcm://google/fcm-token:of_a.device")
        #expect(try await list(ada).map(\.kind) == [.apns, .fcm])
        let export = try await server.call(Routes.export, by: ada)
        #expect(export.devices.map(\.kind) == [.apns, .fcm])
        try await server.call(
            Routes.deletePushEndpoint, id: "\(id(8) as PushEndpointID)", by: ada)
        #expect(try await list(ada).map(\.kind) == [.fcm])
    }

    @Test func tokenMovesToItsLatestUser() async throws {
        let request = PushEndpointRequest(kind: .apns, token: token, environment: .production)
        _ = try await register(8, request, by: ada)
        _ = try await register(9, request, by: ben)
        #expect(try await list(ada) == [])
        #expect(try await list(ben).map(\.id) == [id(9)])
        let news = try await server.call(Routes.notifications, by: ada).items
        #expect(news.map(\.title) == ["An app gets no more messages"])
        #expect(news.first?.body.hasPrefix("Another account gets its messages") == true)
        #expect(try await server.call(Routes.notifications, by: ben).items == [])
        try await server.call(Routes.signOut, by: ben)
        let again = try await server.signIn("+4915100000002")
        #expect(try await list(again) == [])
    }

    @Test(arguments: [
        (#"{"kind":"apns","environment":"sandbox"}"#, "token"),
        (#"{"kind":"apns","token":"00112233445566778899"}"#, "environment"),
        (#"{"kind":"apns","token":"00112233445566778899","environment":"test"}"#, "environment"),
        (#"{"kind":"apns","token":"0011","environment":"sandbox"}"#, "token"),
        (#"{"kind":"apns","token":"001122334455667788990","environment":"sandbox"}"#, "token"),
        (#"{"kind":"apns","token":"zz112233445566778899","environment":"sandbox"}"#, "token"),
        (#"{"kind":"fcm","token":"a/../../../../../../../b"}"#, "token"),
        (#"{"kind":"fcm","token":"öööööööööööööööööööööö"}"#, "token"),
        (#"{"kind":"fcm"}"#, "token"), (#"{"kind":"webhook"}"#, "url"),
        (#"{"kind":"webPush"}"#, "url"),
    ])
    func invalidAppEndpointNamesTheField(body: String, field: String) async throws {
        let answer = try await server.send(
            "PUT", "/v1/devices/\(id(9) as PushEndpointID)", .json(body), token: ada.token)
        #expect(answer.status == 422 || answer.status == 400)
        #expect(answer.text.contains(field), "\(answer.text)")
        #expect(try await list(ada) == [])
    }

    @Test func appsCannotRegisterWithoutServerKeys() async throws {
        let plain = try TestServer { $0.pushKinds = [.webhook, .webPush] }
        let eve = try await plain.person("Eve", number: "+4915100000003")
        let answer = try await plain.send(
            "PUT", "/v1/devices/\(id(9) as PushEndpointID)",
            .json(#"{"kind":"fcm","token":"fcm-token:of_a.device"}"#), token: eve.token)
        #expect(answer.status == 422 && answer.text.contains(#""field":"kind""#))
    }
}
