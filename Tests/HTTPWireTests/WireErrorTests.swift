import HTTPWire
import Testing

@Suite("Texts of errors and verdicts")
struct WireErrorTests {
    @Test("say what, where in the RFC and at which octet")
    func texts() {
        #expect(
            WireError(.invalidNameOctet(0x0A), at: 7).description
                == "octet 0x0a in a field name (RFC 9110, section 5.1), at octet 7")
        #expect(
            WireError(.contentCut(missing: 512), at: 9).description
                == "content ended 512 octets short (RFC 9112, section 8), at octet 9")
        #expect(
            ReuseVerdict.closeAnnounced.description == "server announced to close (RFC 9112, section 9.6)")
    }
}
