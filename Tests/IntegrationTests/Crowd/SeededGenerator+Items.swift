import SeededGenerator

extension SeededGenerator {
    mutating func one<Items: RandomAccessCollection>(of items: Items) -> Items.Element? {
        items.randomElement(using: &self)
    }
    mutating func coin() -> Bool { Bool.random(using: &self) }
}
