import Download
import Testing

@Suite("How far a transfer has come (D25)")
struct TransferProgressTests {
    @Test(
        "the percentage has two decimals, rounded down",
        arguments: [
            (0, 592_441, "0.00%"), (246_890, 592_441, "41.67%"), (592_440, 592_441, "99.99%"),
            (592_441, 592_441, "100.00%"), (1, 3, "33.33%"), (2, 3, "66.66%"), (1, 10_000, "0.01%"),
            (1, 10_001, "0.00%"),
            (700, 592, "100.00%"), (0, 0, "100.00%"), (0, UInt64.max, "0.00%"),
            (UInt64.max - 1, UInt64.max, "99.99%"), (UInt64.max, UInt64.max, "100.00%"),
            (UInt64.max, 1, "100.00%"), (UInt64.max / 2 + 1, UInt64.max, "50.00%"),
        ] as [(UInt64, UInt64, String)])
    func percent(_ received: UInt64, _ expected: UInt64, _ text: String) {
        #expect(TransferProgress(received: received, expected: expected).percentText == text)
    }

    @Test("a total that is not known gives no fraction")
    func unknown() {
        let progress = TransferProgress(received: 5)
        #expect(progress.fraction == nil)
        #expect(progress.percentText == nil)
        #expect(!progress.isWhole)
        #expect(TransferProgress(received: 5, state: .finished).isWhole)
    }

    @Test("the fraction stays within 0 and 1")
    func fraction() {
        #expect(TransferProgress(received: 1, expected: 4).fraction == 0.25)
        #expect(TransferProgress(received: .max, expected: 1).fraction == 1)
        #expect(TransferProgress(received: 0, expected: 0).fraction == 1)
        #expect(TransferProgress(received: .max, expected: .max).isWhole)
    }
}
