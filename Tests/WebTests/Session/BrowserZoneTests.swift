import Foundation
import Testing

@testable import Web

@Suite struct BrowserZoneTests {
    @Test func acceptsOnlyTimeZonesOfPlaces() {
        let resources = TestHost().resources()
        for name in ["", "undefined", "UTC", "Foo/Bar", "a\r\nX-Evil: 1/2"] {
            resources.noteTimeZone(name)
            #expect(resources.credentials.timeZone == nil)
        }
        resources.noteTimeZone("Europe/Berlin")
        #expect(resources.credentials.timeZone == "Europe/Berlin")
        resources.noteTimeZone("Foo/Bar")
        #expect(resources.credentials.timeZone == "Europe/Berlin")
    }
}
