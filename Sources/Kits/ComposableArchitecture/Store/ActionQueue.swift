struct ActionQueue<Action> {
    struct Item {
        let action: Action
        let group: Int
        let isFromEffect: Bool
        /// A token that keeps the group running until the action starts its own effects.
        var placeholder: EffectRegistry.Token?
    }

    private var items: [Item?] = []
    private var head = 0

    mutating func append(_ item: Item) {
        items.append(item)
    }

    mutating func popFirst() -> Item? {
        guard head < items.count else { return nil }
        let item = items[head]
        items[head] = nil
        head += 1
        // Removes processed items only occasionally, so that the cost per action stays constant.
        if head == items.count {
            items.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head > 1_024, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }
}
