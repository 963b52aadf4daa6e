import HTTPMessage
import Testing
import URLLoading

@Suite("A request of the loading system")
struct LoadRequestTests {
    @Test("D19: has a limit of 60 s, unless told otherwise")
    func timeout() throws {
        let uri = try URI(parsing: "http://example.com/a.zip")
        #expect(LoadRequest(uri).timeoutInterval == .seconds(60))
        #expect(LoadRequest(uri, timeoutInterval: .seconds(5)).timeoutInterval == .seconds(5))
        #expect(
            LoadRequest(uri, cachePolicy: .returnCacheDataDontLoad).cachePolicy == .returnCacheDataDontLoad)
        #expect(LoadRequest(uri).cachePolicy == .useProtocolCachePolicy)
    }

    @Test("takes fields by their names as text, and none whose name is no token")
    func fields() throws {
        var request = LoadRequest(try URI(parsing: "http://example.com/a.zip"))
        #expect(request.setValue("bytes=0-1048575", forHTTPHeaderField: "Range"))
        #expect(request.addValue("a", forHTTPHeaderField: "x-test"))
        #expect(request.addValue("b", forHTTPHeaderField: "X-Test"))
        #expect(!request.setValue("c", forHTTPHeaderField: "not a name"))
        #expect(request.value(forHTTPHeaderField: "range") == "bytes=0-1048575")
        #expect(request.value(forHTTPHeaderField: "X-TEST") == "a, b")
        #expect(request.setValue(nil, forHTTPHeaderField: "X-Test"))
        #expect(request.fields.map(\.name.spelling) == ["Range"])
    }
}
