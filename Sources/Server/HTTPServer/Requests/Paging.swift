import API
import Domain

extension RouteBuilder {
    /// A full page may have more behind it.
    static func list<Item: Payload>(_ items: [Item], _ page: Page, cursor: (Item) -> Page.Cursor?)
        -> List<Item>
    {
        List(
            items: items,
            next: items.count == page.limit ? items.last.flatMap(cursor)?.description : nil)
    }
}
