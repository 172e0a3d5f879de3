import ClientsLive
import Foundation
import HTTPTypes
import Testing

@testable import LivePages
@testable import Web

@Suite struct PictureRouteTests {
    @Test func pictureRouteFollowsTheAPI() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let (png, page, none) = (
            "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444",
            "55555555-5555-4555-8555-555555555555"
        )
        site.host.state.withLock { state in
            state.answers["/v1/pictures/\(png)"] = TransportResponse(
                status: 200, headers: ["content-type": "image/png"], body: Data([1, 2]))
            state.answers["/v1/pictures/\(page)"] = TransportResponse(
                status: 200, headers: ["content-type": "text/html"], body: Data())
        }
        let answer = try await site.send("GET", "/web/pictures/\(png)", secret: secret)
        #expect(answer.headers[.contentType] == "image/png" && answer.text == "\u{1}\u{2}")
        for other in [page, none, "x"] {
            #expect(
                await refusal {
                    try await site.send("GET", "/web/pictures/\(other)", secret: secret)
                } != nil)
        }
    }
}
