import API
import Domain

extension RouteBuilder {
    /// Returns a page of a list. A full page has a cursor for the next page.
    static func list<Item: Payload>(_ items: [Item], _ page: Page, cursor: (Item) -> Page.Cursor?)
        -> List<Item>
    {
        List(
            items: items,
            next: items.count == page.limit ? items.last.flatMap(cursor)?.description : nil)
    }
}
