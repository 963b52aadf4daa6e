import HTTPWire
import Testing

@Suite("Content that ends with the connection (RFC 9112, section 6.3)")
struct UntilCloseContentTests {
    @Test("takes all there is")
    func takesAll() {
        let content = UntilCloseContent()
        var offset = 1
        #expect(content.nextEvent(in: [1, 2, 3].span, at: &offset) == .content(1..<3))
        #expect(content.nextEvent(in: [1, 2, 3].span, at: &offset) == .needsInput)
    }
}
