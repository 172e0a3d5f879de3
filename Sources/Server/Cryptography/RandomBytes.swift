import Foundation

/// The source of randomness for tokens, codes and keys. Replaceable in tests.
public struct RandomBytes: Sendable {
    private let make: @Sendable (Int) -> Data

    public init(_ make: @escaping @Sendable (Int) -> Data) { self.make = make }

    public func callAsFunction(_ count: Int) -> Data { make(count) }

    /// The operating system's generator.
    public static let system = RandomBytes { count in
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    public func integer() -> Int64 { make(8).reduce(0) { $0 << 8 | Int64($1) } }

    public func token() -> Token { Token(random: make(32)) }

    /// Returns six random digits. Redraws the highest numbers, so that all codes are equally
    /// likely.
    public func code() -> String {
        let possibilities: UInt32 = 1_000_000
        let fair = UInt32.max - UInt32.max % possibilities
        while true {
            let number = make(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if number < fair {
                let digits = String(number % possibilities)
                return String(repeating: "0", count: 6 - digits.count) + digits
            }
        }
    }
}
