/// A set of effects. A set of one effect needs no allocation.
struct TokenSet {
    private var first: EffectRegistry.Token?
    private var others: Set<EffectRegistry.Token> = []

    var isEmpty: Bool { first == nil && others.isEmpty }

    var sorted: [EffectRegistry.Token] {
        (first.map { [$0] } ?? []) + others.sorted()
    }

    /// Inserts a token, which must be greater than all tokens in the set.
    mutating func insert(_ token: EffectRegistry.Token) {
        if isEmpty { first = token } else { others.insert(token) }
    }

    mutating func remove(_ token: EffectRegistry.Token) {
        if first == token { first = nil } else { others.remove(token) }
    }
}
