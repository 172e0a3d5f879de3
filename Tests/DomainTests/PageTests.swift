import Foundation
import Testing

@testable import Domain

@Suite struct PageTests {
    @Test(arguments: [1, 50, 200])
    func aPageHasOneTo200Items(limit: Int) throws {
        #expect(try Page(limit: limit).limit == limit)
    }

    @Test(arguments: [Int.min, -1, 0, 201, Int.max])
    func anotherLimitIsRefused(limit: Int) {
        #expect(refusal { try Page(limit: limit) }?.field == "limit")
    }

    @Test func defaultPageIsTheNewest50() throws {
        let page = try Page()
        #expect(page.limit == 50)
        #expect(page.before == nil)
    }

    @Test func cursorRoundTrips() throws {
        let cursor = Page.Cursor(time: noon, id: ada.uuid)
        #expect(cursor.description == "1772366400000.00000000-0000-4000-8000-000000000001")
        #expect(try Page.Cursor(cursor.description) == cursor)
    }

    @Test(
        arguments: [
            "", ".", "1772366400000", "1772366400000.", ".\(ada)", "1772366400000.me", "-1.\(ada)",
            "+1.\(ada)", "1.5.\(ada)", "1 .\(ada)",
            "1772366400000,\(ada)", "1772366400000.\(ada).", "1000000000000000.\(ada)",
            "\u{661}.\(ada)", ":1.\(ada)", "/1.\(ada)",
        ])
    func otherTextIsNoCursor(text: String) {
        #expect(refusal { try Page.Cursor(text) }?.field == "before")
    }
}
