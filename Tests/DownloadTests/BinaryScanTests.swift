import Testing

@testable import Download

@Suite("What is binary to a terminal")
struct BinaryScanTests {
    private func finds(_ pieces: [[UInt8]], _ check: DownloadPlan.BinaryCheck = .controls) -> Bool {
        var scan = BinaryScan(check)
        for piece in pieces where scan.finds(in: piece.span) { return true }
        return false
    }

    @Test(
        "controls are, of ASCII, of ISO 8859-1 and of Unicode, however they are cut",
        arguments: [
            [0x1B], [0x00], [0x7F], [0x0E], [0x9B, 0x33], [0xC2, 0x9B], [0xC2, 0x80], [0x61, 0x85],
            [0xE2, 0x82, 0xAC, 0x9D],
        ] as [[UInt8]])
    func controls(octets: [UInt8]) {
        #expect(finds([octets]))
        #expect(finds(octets.map { [$0] }))
        #expect(finds([octets], .nul) == octets.contains(0))
        #expect(!finds([octets], .none))
    }

    @Test(
        "text is not",
        arguments: ["a\tb\r\n\u{8}\u{C}", "é\u{A0}ÿ", "€ 漢字 \u{1F600}", "\u{2019}\u{800}\u{7FF}", ""])
    func text(text: String) {
        #expect(!finds([Array(text.utf8)]))
        #expect(!finds(Array(text.utf8).map { [$0] }))
    }
}
