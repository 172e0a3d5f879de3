import API
import Clients
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct DeviceKeyTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func theKeyIsMadeOnceAndOutlivesTheSession() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "deeper/session.json").path
        let store = FileTokenStore(path: path)
        let key = try #require(await store.deviceKey())
        try store.save(.stage(1))
        try store.delete()
        #expect(await FileTokenStore(path: path).deviceKey() == key)
        #expect(try mode(path + ".device") == 0o600)
        #expect(await FileTokenStore(path: folder.url.path + "/other.json").deviceKey() != key)
    }

    @Test(arguments: ["", "nonsense", "00000000-0000-0000-0000"]) func invalidKeyIsReplaced(
        text: String
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "session.json").path
        try Data(text.utf8).write(to: URL(filePath: path + ".device"))
        let key = try #require(await FileTokenStore(path: path).deviceKey())
        #expect(await FileTokenStore(path: path).deviceKey() == key)
    }

    @Test func keyIsNilWithoutDisk() async throws {
        #expect(await FileTokenStore(path: "/dev/null/session.json").deviceKey() == nil)
        #expect(await MemoryTokenStore().deviceKey() == nil)
    }

    @Test func signInSendsDeviceKeyAndRequestID() async throws {
        let (app, folder) = (try TestApp(.memory), try TemporaryFolder())
        let asked = Requests()
        var transport = HookedTransport(transport: app.transport)
        transport.before = { request in
            asked.note(request)
            return nil
        }
        let clients = LiveClients(
            transport: transport,
            tokens: FileTokenStore(path: folder.url.appending(path: "session.json").path),
            storage: .session, options: .init(deviceName: "Phone"))
        let controller = clients.controller
        try await controller.sendCode(to: "+15550100001")
        _ = try await controller.signIn("+15550100001", code: try app.code(for: "+15550100001"))
        let code = try #require(asked.last(SendCodeRequest.self, Routes.sendCode.endpoint))
        let signIn = try #require(asked.last(SignInRequest.self, Routes.signIn.endpoint))
        #expect(code.deviceKey != nil && signIn.deviceKey == code.deviceKey)
        #expect(signIn.requestID != nil)
        #expect(try await app.count("SELECT COUNT(*) FROM known_devices") == 1)
        await clients.stop()
    }

    /// Earlier versions of the app send no key, neither for a code nor at sign-in.
    @Test func clientWithoutKeySignsInFromTheSameAddress() async throws {
        let app = try TestApp(.memory)
        let number = "+15550100001"
        func post(_ path: String, _ body: String) async throws -> Int {
            let request = TransportRequest(
                method: .post, path: path, headers: ["Content-Type": "application/json"],
                body: Data(body.utf8))
            return try await app.transport.send(request).status
        }
        #expect(try await post("/v1/auth/codes", #"{"phoneNumber":"\#(number)"}"#) == 202)
        let code = try app.code(for: number)
        let signIn = #"{"phoneNumber":"\#(number)","code":"\#(code)","deviceName":"Phone"}"#
        #expect(try await post("/v1/auth/sessions", signIn) == 201)
    }
}

private final class Requests: Sendable {
    private let book = Mutex<[TransportRequest]>([])

    func note(_ request: TransportRequest) { book.withLock { $0.append(request) } }

    func last<Input: Payload>(_ type: Input.Type, _ endpoint: Endpoint) -> Input? {
        let request = book.withLock {
            $0.last { $0.path == endpoint.path && $0.method == endpoint.method }
        }
        return request.flatMap { try? WireJSON.decoder().decode(Input.self, from: $0.body) }
    }
}
