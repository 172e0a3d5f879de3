import Foundation
import QRCode

enum QRCodeBenchmark {
    private static let payload =
        """
        {"appVersion":"1","deviceModel":"server","id":"ac65c7f6-939d-455c-b727-f1ad447dae33",\
        "timestamp":"2026-11-21T07:43:37.729Z","userID":"d826363b-8156-497f-a207-c5d6767c9bf3"}
        """

    static func run(into table: inout Table) throws {
        let encode = try time(200) { _ = try QRCode.encode(payload) }
        table.add(
            "QR: encode to PNG (median of 200)", milliseconds(encode), goal: "≤ 1 ms",
            isMet: encode <= 0.001)
        let frame = try CameraFrame.jpeg(showing: payload)
        guard try QRCode.decode(frame) == payload else {
            throw BenchError("the frame was read wrongly")
        }
        let decode = try time(50) { _ = try QRCode.decode(frame) }
        table.add(
            "QR: decode a noisy 1280×720 frame (median of 50)", milliseconds(decode),
            goal: "≤ 20 ms", isMet: decode <= 0.02)
    }

    private static func time(_ count: Int, _ work: () throws -> Void) rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            try work()
            times.append((ContinuousClock.now - start) / .seconds(1))
        }
        return times.median
    }
}
