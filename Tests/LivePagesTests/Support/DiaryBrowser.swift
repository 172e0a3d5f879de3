import Testing

@testable import LivePages

struct Browser {
    let session: DiarySession
    var view: String
    var generation: Int
    var number = 0
    var pageStream: PageStream?
    private(set) var model: PageModel
    private(set) var frames: [String] = []

    init(_ session: DiarySession) async throws {
        self.session = session
        let page = try #require(await session.openPage())
        view = page.view
        generation = page.generation
        model = PageModel(page.html)
    }

    var markup: String { model.markup }

    /// Finds the button with a text. Returns its part and the index of its handler.
    func target(_ words: String, kind: String = "tap", in markup: String? = nil) throws
        -> PageEvent.Target
    {
        let markup = markup ?? self.markup
        let end = try #require(markup.firstRange(of: ">\(words)<"), "no \(words) in \(markup)")
            .lowerBound
        let before = markup[..<end]
        let tag = before[(before.lastIndex(of: "<") ?? before.startIndex)...]
        let index = try #require(
            tag.firstRange(of: "data-\(kind)=\"").flatMap {
                Int(tag[$0.upperBound...].prefix { $0 != "\"" })
            })
        return .handler(
            part: try #require(Self.part(around: before)), index: index, generation: generation)
    }

    static func part(around markup: Substring) -> String? {
        var open: [String?] = []
        for tag in markup.matches(of: #/<(\/?)([a-z0-9]+)([^>]*)/#) {
            if tag.1 == "/" {
                _ = open.popLast()
            } else if !["br", "hr", "img", "input"].contains(tag.2) {
                open.append(tag.3.firstMatch(of: #/data-p="([^"]*)"/#).map { String($0.1) })
            }
        }
        return open.compactMap(\.self).last
    }

    mutating func press(_ words: String, kind: String = "tap", _ value: EventValue = .none)
        async throws -> PageEventResult?
    {
        try await send(target(words, kind: kind), value)
    }

    mutating func send(_ target: PageEvent.Target, _ value: EventValue = .none) async
        -> PageEventResult?
    {
        number += 1
        return await session.handle(
            [PageEvent(number: number, target: target, value: value)], from: view)?.first
    }

    mutating func attach() async { pageStream = await session.attach(view, generation: generation) }
}

extension PageSession {
    var viewCount: Int { views.count }
    var markup: String { wholeMarkup }
    var hasMarkup: Bool { rendering.hasMarkup }
}
