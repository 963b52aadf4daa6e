import HTTPWire
import Testing

@Suite("Content of a declared length (RFC 9112, section 6.2)")
struct LengthDelimitedContentTests {
    @Test("takes no octet of the next message", arguments: [("hel", 3), ("hello", 5), ("helloHTTP", 5)])
    func takesOnlyItsOwn(input: String, length: Int) {
        var content = LengthDelimitedContent(length: 5)
        var offset = 0
        #expect(content.nextEvent(in: Array(input.utf8).span, at: &offset) == .content(0..<length))
        #expect(offset == length)
        #expect(content.remaining == UInt64(5 - length))
    }

    @Test("octet by octet, each is content and then comes the end")
    func octetByOctet() {
        var content = LengthDelimitedContent(length: 3)
        for octet: UInt8 in [1, 2, 3] {
            var offset = 0
            #expect(content.nextEvent(in: [octet].span, at: &offset) == .content(0..<1))
            #expect(content.nextEvent(in: [octet].span, at: &offset) == (octet < 3 ? .needsInput : .end))
        }
    }

    @Test("what was moved outside counts")
    func skips() throws {
        var content = LengthDelimitedContent(length: 5)
        content.skip(5)
        try content.receiveEndOfStream()
    }

    @Test("ending early is an error")
    func endingEarlyIsAnError() {
        let content = LengthDelimitedContent(length: 5)
        #expect(throws: IncompleteContent(missing: 5)) { try content.receiveEndOfStream() }
    }
}
