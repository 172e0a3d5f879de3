extension PostgreSQLEngine {
    public struct Options: Sendable {
        /// Connections for writes, and half as many for reads.
        public var connections = 16
        /// How long a write is tried again when others are in the way or the connection is lost.
        public var patience: Duration = .seconds(8)
        /// A number from 0 up to 1.
        public var random: @Sendable () -> Double
        var limits = PostgreSQLConnection.Limits()

        public init(
            random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
        ) {
            self.random = random
        }

        /// 10 ms, 20 ms, 40 ms, … at most 0.6 s, each with jitter.
        @Sendable func pause(after attempts: Int) -> Duration {
            .milliseconds(10) * (Double(1 << min(attempts, 6)) * (0.5 + random() / 2))
        }
    }
}
