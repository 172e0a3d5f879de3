/// Measures the cost of a store and prints one table. Run it in a release build: `make bench`.
@main
@MainActor
enum Bench {
    static func main() async {
        print(Figure.header)
        for name in CommandLine.arguments.dropFirst().isEmpty
            ? ["memory", "actions", "effects", "cores"] : Array(CommandLine.arguments.dropFirst())
        {
            for figure in await figures(name) { print(figure.line) }
        }
    }

    private static func figures(_ name: String) async -> [Figure] {
        switch name {
        case "memory": [StoreBenchmark.memory()]
        case "actions": StoreBenchmark.actions()
        case "effects": await StoreBenchmark.roundTripsInTurn() + StoreBenchmark.roundTripsAtOnce()
        case "cores": await StoreBenchmark.cores()
        default: []
        }
    }
}
