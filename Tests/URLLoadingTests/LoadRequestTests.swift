import HTTPCache
import HTTPMessage
import Testing
import URLLoading

@Suite("A request of the loading system")
struct LoadRequestTests {
    @Test("has a limit of 60 s and the protocol's policy, unless told otherwise")
    func defaults() throws {
        let uri = try URI(parsing: "http://example.com/a.zip")
        #expect(LoadRequest(uri).timeoutInterval == .seconds(60))
        #expect(LoadRequest(uri, timeoutInterval: .seconds(5)).timeoutInterval == .seconds(5))
        let stored = LoadRequest(uri, cachePolicy: .returnCacheDataDontLoad)
        #expect(stored.cachePolicy == .returnCacheDataDontLoad)
        #expect(LoadRequest(uri).cachePolicy == .useProtocolCachePolicy)
        #expect(LoadRequest(uri).allowsCellularAccess)
    }

    @Test("takes fields by their names as text, and none whose name is no token")
    func fields() throws {
        var request = LoadRequest(try URI(parsing: "http://example.com/a.zip"))
        request.setValue("bytes=0-1048575", forHTTPHeaderField: "Range")
        request.addValue("a", forHTTPHeaderField: "x-test")
        request.addValue("b", forHTTPHeaderField: "X-Test")
        let isTaken = request.setValue("c", forHTTPHeaderField: "not a name")
        #expect(!isTaken)
        #expect(request.value(forHTTPHeaderField: "range") == "bytes=0-1048575")
        #expect(request.value(forHTTPHeaderField: "X-TEST") == "a, b")
        request.setValue(nil, forHTTPHeaderField: "X-Test")
        #expect(request.fields.map(\.name.spelling) == ["Range"])
    }
}
