// NSData dataWithContentsOfURL:, sendSynchronousRequest:, sendAsynchronousRequest: (D1, D2, D3, D6, D17 to D19).

func dataWithContentsOfURL(_ base: String) throws {
    let url = try URI(parsing: "\(base)/logo.png")
    let data = try [UInt8](contentsOf: url)
    check(data == Served.logo, "dataWithContentsOfURL")
}

func sendSynchronousRequest(_ base: String) throws {
    let url = try URI(parsing: "\(base)/logo.png")
    let request = LoadRequest(url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: .seconds(15))
    let (response, data) = try URLConnection.sendSynchronousRequest(request)
    check(response.status == .ok && data == Served.logo, "sendSynchronousRequest")
    check(response.suggestedFilename == "logo.png", "suggestedFilename")
    check(response.expectedContentLength == Int64(Served.logo.count), "expectedContentLength")
}

func sendAsynchronousRequest(_ base: String, savingTo cachePath: String) throws {
    let request = LoadRequest(try URI(parsing: "\(base)/logo.png"))
    let done = Latch()
    URLConnection.sendAsynchronousRequest(request, queue: TransferQueue()) { response, data, error in
        if let data, error == nil {
            do {
                try data.write(toFile: cachePath, atomically: true)
                print("saved: \(response?.suggestedFilename ?? "")")
            } catch {
                print("could not save: \(error)")
            }
        } else {
            print("could not download: \(error.map { "\($0)" } ?? "")")
        }
        done.open()
    }
    done.wait()
    // Foundation reads what was written.
    let saved = try Data(contentsOf: URL(fileURLWithPath: cachePath))
    check([UInt8](saved) == Served.logo, "sendAsynchronousRequest")
}

func headRequest(_ base: String) throws {
    let request = LoadRequest(try URI(parsing: "\(base)/movie.mp4"), method: .head)
    let (response, data) = try URLConnection.sendSynchronousRequest(request)
    check(data.isEmpty && response.expectedContentLength == Int64(Served.movie.count), "HEAD")
}

/// The caching sample: it sets the capacity before every request, looks, and sends what is there without the network.
func cachedRequest(_ base: String) throws {
    var request = LoadRequest(try URI(parsing: "\(base)/cached.json"))
    var contents: [[UInt8]] = []
    for _ in 0..<2 {
        let cache = ResponseCache.shared
        cache.memoryCapacity = 1024 * 1024
        if cache.cachedResponse(for: request) != nil {
            request.cachePolicy = .returnCacheDataDontLoad
        }
        contents.append(try URLConnection.sendSynchronousRequest(request).content)
    }
    check(contents[0] == contents[1] && !contents[0].isEmpty, "URLCache")
    check(request.cachePolicy == .returnCacheDataDontLoad, "cachedResponseForRequest")
}

/// An address with Chinese in it.
func chineseAddress(_ base: String) throws {
    let url = try URI(parsing: "\(base)/metro_demo使用Highcharts实现图表展示.zip")
    let (response, data) = try URLConnection.sendSynchronousRequest(LoadRequest(url))
    check(data == Served.logo, "percent-encoding")
    check(response.suggestedFilename == "metro_demo使用Highcharts实现图表展示.zip", "decoded name")
}
