import Testing

@testable import ComposableArchitecture

@Suite struct DependencyOverridesTests {
    private final class Key {}

    private func number(_ box: (any DependencyBox)?) -> Int? { box?.value(as: Int.self) }

    /// After a copy, new values are stored beside the table that the copies share.
    @Test(arguments: [1, 3, 8, 9, 60]) func newestValueOfEachKeyCounts(copiedAfter count: Int) {
        let keys = (0..<16).map { _ in Key() }
        var (overrides, model) = (DependencyOverrides(), [ObjectIdentifier: Int]())
        var copies: [DependencyOverrides] = []
        for value in 0..<60 {
            let key = ObjectIdentifier(keys[value * 7 % keys.count])
            if value.isMultiple(of: count) { copies.append(overrides) }
            overrides.set(TypedDependencyBox(value), for: key)
            model[key] = value
            for key in keys.map(ObjectIdentifier.init) {
                #expect(number(overrides[key]) == model[key])
            }
            #expect(Set(overrides.keys) == Set(model.keys))
            #expect(!overrides.isEmpty)
        }
        #expect(copies[0].isEmpty)
        withExtendedLifetime(keys) {}
    }

    @Test(arguments: [1, 8, 9, 12, 13], [1, 8, 9, 12, 13])
    func mergedOverridesTakePrecedence(count: Int, others: Int) {
        let keys = (0..<16).map { _ in Key() }
        func overrides(_ indices: Range<Int>, _ offset: Int) -> DependencyOverrides {
            indices.reduce(into: DependencyOverrides()) {
                $0.set(TypedDependencyBox($1 + offset), for: ObjectIdentifier(keys[$1]))
            }
        }
        let merged = overrides(0..<count, 0).merging(overrides(16 - others..<16, 100))
        for (index, key) in keys.enumerated() {
            let below = index < count ? index : nil
            let value = index >= 16 - others ? index + 100 : below
            #expect(number(merged[ObjectIdentifier(key)]) == value)
        }
    }

    @Test func copyKeepsItsValues() {
        let keys = (0..<10).map { _ in Key() }
        var first = DependencyOverrides()
        for key in keys { first.set(TypedDependencyBox(0), for: ObjectIdentifier(key)) }
        var second = first
        for key in keys { second.set(TypedDependencyBox(1), for: ObjectIdentifier(key)) }
        for key in keys.map(ObjectIdentifier.init) {
            #expect(number(first[key]) == 0 && number(second[key]) == 1)
        }
        #expect(DependencyOverrides().isEmpty)
    }
}
