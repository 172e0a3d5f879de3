/// A queue that holds each element once.
struct UniqueQueue<Element: Hashable> {
    private var elements: [Element] = []
    private var head = 0
    private var members: Set<Element> = []

    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) {
        if members.insert(element).inserted { elements.append(element) }
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        members.remove(element)
        head += 1
        // More than half of the storage is unused. Moving the rest costs no more than the removals
        // so far.
        if head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
