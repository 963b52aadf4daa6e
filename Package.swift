// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// For modules that do no I/O: every unsafe expression is marked.
let pure = strict + [.strictMemorySafety()]

let package = Package(
    name: "rawget",
    products: [
        .library(name: "Rawget", targets: ["Rawget"]),
        .executable(name: "rawget", targets: ["rawget"]),
    ],
    targets: [
        .target(name: "HTTPMessage", swiftSettings: pure),
        .target(name: "HTTPWire", dependencies: ["HTTPMessage"], swiftSettings: pure),
        .target(name: "HTTPCache", dependencies: ["HTTPMessage"], swiftSettings: pure),
        .target(name: "CLinux"),
        // No pkg-config: Debian and Fedora keep both where compiler and linker look.
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"])]),
        .target(name: "System", dependencies: ["CLinux", "COpenSSL"], swiftSettings: strict),
        .target(
            name: "Transport", dependencies: ["CLinux", "COpenSSL", "System"], swiftSettings: strict),
        .target(
            name: "HTTPClient",
            dependencies: ["CZlib", "HTTPCache", "HTTPMessage", "HTTPWire", "System", "Transport"],
            swiftSettings: strict),
        .target(
            name: "Download", dependencies: ["HTTPCache", "HTTPClient", "HTTPMessage", "System"],
            swiftSettings: strict),
        .target(
            name: "Reachability", dependencies: ["CLinux", "System", "Transport"], swiftSettings: strict),
        .target(
            name: "URLLoading",
            dependencies: [
                "Download", "HTTPCache", "HTTPClient", "HTTPMessage", "Reachability", "System", "Transport",
            ],
            swiftSettings: strict),
        .target(
            name: "Replay", dependencies: ["CLinux", "COpenSSL", "CZlib", "System"], swiftSettings: strict),
        .target(
            name: "RawgetTool",
            dependencies: [
                "Examples", "HTTPCache", "HTTPMessage", "HTTPWire", "HTTPClient", "Download", "Reachability",
                "System", "Transport", "Replay", "URLLoading",
            ],
            swiftSettings: strict),
        .target(
            name: "Rawget",
            dependencies: [
                "HTTPCache", "HTTPMessage", "HTTPWire", "HTTPClient", "Download", "Reachability", "System",
                "Transport", "URLLoading",
            ],
            swiftSettings: strict),
        // A file for each style, which imports what a program would. Part of no product but the tool.
        .target(name: "Examples", dependencies: ["Rawget"], swiftSettings: strict),
        .executableTarget(
            name: "rawget", dependencies: ["CLinux", "RawgetTool", "System", "Transport"],
            swiftSettings: strict),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "HTTPCache", "HTTPClient", "HTTPMessage", "HTTPWire", "Replay", "System", "Transport",
            ],
            swiftSettings: strict),
        // A second view of RFC 9111, by which the cache is judged. Part of no product.
        .target(
            name: "CacheModel", dependencies: ["HTTPCache", "HTTPMessage"], path: "Tests/CacheModel",
            swiftSettings: strict),
        .testTarget(
            name: "HTTPCacheTests", dependencies: ["CacheModel", "HTTPCache", "HTTPMessage"],
            swiftSettings: strict),
        .testTarget(name: "HTTPMessageTests", dependencies: ["HTTPMessage"], swiftSettings: strict),
        .testTarget(
            name: "HTTPWireTests", dependencies: ["HTTPWire", "HTTPMessage", "Replay"], swiftSettings: strict),
        .target(
            name: "NetworkProbes", dependencies: ["CLinux", "System", "Transport"],
            path: "Tests/NetworkProbes",
            swiftSettings: strict),
        .testTarget(
            name: "SystemTests", dependencies: ["CLinux", "System", "NetworkProbes"], swiftSettings: strict),
        .testTarget(
            name: "TransportTests",
            dependencies: ["CLinux", "COpenSSL", "System", "Transport", "Replay", "NetworkProbes"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: [
                "HTTPCache", "HTTPMessage", "HTTPWire", "HTTPClient", "System", "Transport", "Replay",
                "NetworkProbes",
                "rawget",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ReplayTests", dependencies: ["CZlib", "Replay", "TestSupport"], swiftSettings: strict),
        // What several test targets use: folders, processes, servers. Part of no product.
        .target(
            name: "TestSupport", dependencies: ["HTTPClient", "NetworkProbes", "RawgetTool", "Replay"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "DownloadTests",
            dependencies: [
                "Download", "HTTPClient", "HTTPMessage", "Replay", "System", "TestSupport", "Transport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "URLLoadingTests",
            dependencies: [
                "Download", "HTTPCache", "HTTPClient", "HTTPMessage", "Reachability", "Replay", "System",
                "TestSupport", "Transport", "URLLoading",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RawgetToolTests",
            dependencies: [
                "Examples", "RawgetTool", "HTTPClient", "HTTPMessage", "NetworkProbes", "Replay", "System",
                "TestSupport", "Transport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "Download", "HTTPClient", "HTTPMessage", "RawgetTool", "TestSupport", "Transport",
            ],
            swiftSettings: strict),
        // Changes octets of the fixtures and looks which change goes unnoticed. Part of no product.
        .executableTarget(
            name: "Mutants", dependencies: ["RawgetTool", "Replay", "System", "Transport"],
            path: "Tests/Mutants", exclude: ["survivors.txt"], swiftSettings: strict),
        // Kills downloads at random moments and looks what is left. Part of no product.
        .executableTarget(
            name: "KillTest", dependencies: ["NetworkProbes", "Replay", "System"],
            path: "Tests/KillTest", swiftSettings: strict),
        // What tests run inside of namespaces of the network. Part of no product.
        .executableTarget(
            name: "NetworkScenes",
            dependencies: ["HTTPClient", "HTTPMessage", "Reachability", "Transport", "URLLoading"],
            path: "Tests/NetworkScenes", swiftSettings: strict),
        .testTarget(
            name: "ReachabilityTests",
            dependencies: [
                "NetworkProbes", "NetworkScenes", "Reachability", "System", "TestSupport", "Transport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FixtureTests",
            dependencies: ["RawgetTool", "Replay", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "DifferentialTests",
            dependencies: ["HTTPClient", "RawgetTool", "Replay", "System", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ExecutableTests", dependencies: ["NetworkScenes", "rawget", "Replay", "TestSupport"],
            exclude: ["batch_driver.py"], swiftSettings: strict),
    ]
)
