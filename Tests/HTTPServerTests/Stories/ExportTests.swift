import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RequestsInProcess
import SchemaValidation
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct ExportTests {
    @Test func exportIsStreamedAsOneDocument() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        for number in 0..<250 {
            let moment = noon.adding(.zero - .minutes(number))
            _ = try await server.network.checkIns.checkIn(
                .init(server.numbers.uuid()), occurredAt: moment, by: ada.caller)
        }
        let pieces = try await pieces(server, ada)
        #expect(pieces.count > 4)
        let bytes = pieces.reduce(Data(), +)
        #expect(AccountExport.schema.violations(in: try JSON(bytes)) == [])
        #expect(try StrictJSON.decode(AccountExport.self, from: bytes).checkIns.count == 250)
        // The export route returns the same data, which the client decodes strictly.
        #expect(try await server.call(Routes.export, by: ada).checkIns.count == 250)
    }

    @Test func concurrentSecondExportIsRejected() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        let request = try server.request("GET", "/v1/me/export", token: ada.token)
        let first = try await server.respond(request, server.context(on: try server.channel()))
        let answer = try await server.send("GET", "/v1/me/export", token: ada.token)
        #expect(answer.status == 429 && answer.header("Retry-After") == "10")
        #expect(answer.problemViolations() == [])
        #expect(try await server.send("GET", "/v1/me/export", token: ben.token).status == 200)
        try await first.body.write(CollectedBody())
        #expect(try await server.send("GET", "/v1/me/export", token: ada.token).status == 200)
    }

    private func pieces(_ server: TestServer, _ person: Person) async throws -> [Data] {
        let request = try server.request("GET", "/v1/me/export", token: person.token)
        let response = try await server.respond(request, server.context(on: try server.channel()))
        #expect(
            response.headers[.contentType] == "application/json"
                && response.body.contentLength == nil)
        let writer = Pieces()
        try await response.body.write(writer)
        return writer.all
    }
}

private struct Pieces: ResponseBodyWriter {
    private final class Box: Sendable { let values = Mutex<[Data]>([]) }
    private let box = Box()

    var all: [Data] { box.values.withLock { $0 } }
    func write(_ buffer: ByteBuffer) async throws {
        box.values.withLock { $0.append(Data(buffer.readableBytesView)) }
    }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
