import API
import Domain
import Foundation
import HTTPClient

/// One person's device, speaking the routes of the API.
struct DemoClient: Sendable {
    let server: URL
    let name: String
    var token: String?
    var userID: UserID?
    private let http = HTTPClient(allowsPrivateAddresses: true)

    init(server: URL, name: String) {
        self.server = server
        self.name = name
    }

    func requireUserID() throws -> UserID {
        guard let userID else { throw Failure("\(name) is not signed in") }
        return userID
    }

    func codeAndSession(_ number: PhoneNumber, code: String) async throws -> TokenResponse {
        try await call(Routes.sendCode, SendCodeRequest(phoneNumber: number.text))
        return try await call(
            Routes.signIn,
            SignInRequest(phoneNumber: number.text, code: code, deviceName: "\(name)'s phone"))
    }

    @discardableResult
    func call<Input: OptionalPayload, Output>(
        _ route: Route<Input, Output>, id: UUID? = nil
    ) async throws -> Output {
        try await call(route, Input(), id: id)
    }

    @discardableResult
    func call<Input, Output>(_ route: Route<Input, Output>, _ input: Input, id: UUID? = nil)
        async throws -> Output
    {
        let body = Input.self == Empty.self ? Data() : try WireJSON.encoder().encode(input)
        let bytes = try await send(
            route.endpoint, id: id, body: body, contentType: "application/json")
        if let empty = Empty() as? Output { return empty }
        return try WireJSON.decoder().decode(Output.self, from: bytes)
    }

    func bytes(_ endpoint: Endpoint) async throws -> Data {
        try await send(endpoint, body: Data(), contentType: nil)
    }

    func decode(_ picture: Data) async throws -> String {
        let bytes = try await send(Routes.decodeQRCode, body: picture, contentType: "image/png")
        return try WireJSON.decoder().decode(DecodedQRCode.self, from: bytes).text
    }

    private func send(_ endpoint: Endpoint, id: UUID? = nil, body: Data, contentType: String?)
        async throws -> Data
    {
        let path = endpoint.path.replacingOccurrences(
            of: "{id}", with: id?.uuidString.lowercased() ?? "")
        var headers: [(name: String, value: String)] = []
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if !body.isEmpty, let contentType { headers.append(("Content-Type", contentType)) }
        let request = OutgoingRequest(
            method: endpoint.method.rawValue, url: server.appendingPathComponent(path),
            headers: headers, body: body, timeout: .seconds(20)
        )
        let response: IncomingResponse
        do { response = try await http.send(request) } catch {
            throw Failure("\(server.absoluteString) can't be reached: \(error)")
        }
        guard response.status == endpoint.status else {
            let problem = try? WireJSON.decoder().decode(Problem.self, from: response.body)
            throw Failure(
                """
                \(endpoint.method.rawValue) \(endpoint.path) was refused for \(name): \
                \(problem?.detail ?? "status \(response.status)")
                """
            )
        }
        return response.body
    }
}
