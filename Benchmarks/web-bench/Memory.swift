import Foundation
import TestApp

#if canImport(CMalloc)
import CMalloc
#endif

struct Memory {
    /// The memory that the process holds, including the allocator's reserve.
    var resident: Int
    /// The allocated memory, without the allocator's reserve.
    var allocated: Int

    /// Returns the memory after the allocator has released what it can.
    static func trimmed() -> Memory {
        #if canImport(CMalloc)
        malloc_trim(0)
        let figures = mallinfo2()
        return Memory(resident: residentBytes(), allocated: figures.uordblks + figures.hblkhd)
        #else
        return Memory(resident: residentBytes(), allocated: residentBytes())
        #endif
    }

    struct Share: Sendable {
        var resident, allocated: Double

        var text: String { String(format: "%.1f KB (allocated: %.1f KB)", resident, allocated) }
        var allocatedText: String {
            String(format: "%.1f KB (resident: %.1f KB)", allocated, resident)
        }
    }

    /// Returns how much memory each of `count` sessions has added since `before`, on average.
    func each(of count: Int, since before: Memory) -> Share {
        Share(
            resident: Double(resident - before.resident) / Double(count) / 1_000,
            allocated: Double(allocated - before.allocated) / Double(count) / 1_000)
    }
}

/// Returns the processor time of this process so far. Other programs don't change it.
func workOfThisProcess() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
