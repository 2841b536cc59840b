import Foundation
import struct CoreGraphics.CGRect
@testable import Store

/// How long it waits, in seconds.
public let timeout: TimeInterval = 3
var counter = 0
typealias Handler = (Result<Data, Error>) -> Void

/// Fetches things.
@MainActor
public final class Fetcher<T: Decodable>: NSObject, FetcherProtocol where T: Sendable {
    static let shared = Fetcher()
    private(set) var items: [T] = []
    @Published var state: State = .idle
    weak var delegate: FetcherDelegate?

    var isEmpty: Bool { items.isEmpty }

    var total: Int {
        get { 1 }
        set { print("}") }
    }

    /// Makes one.
    public init(url: URL, retries: Int = 3) {
        super.init()
    }

    convenience init?(text: String) { return nil }

    deinit {}

    // Loads it.
    @discardableResult
    public func load(from url: URL, then handler: @escaping Handler) async throws -> [T] {
        func helper() {}
        let text = "\(items.count) {"
        let raw = #"class Fake { " "#
        return []
    }

    class func reset() {}
    static func == (a: Fetcher, b: Fetcher) -> Bool { true }
    subscript(index: Int) -> T { items[index] }

    enum State: Equatable {
        case idle, loading(Int)
        case failed(reason: String)

        var isFinal: Bool { false }
    }

    struct Options {
        let retries: Int
        var verbose = false
    }
}

protocol FetcherDelegate: AnyObject {
    associatedtype Item
    var name: String { get }
    func fetched(_ item: Item)
    init(name: String)
}

extension Fetcher: Identifiable {
    public var id: Int { 1 }
    func retry() {}
}

indirect enum Tree {
    case leaf(Int)
    case node(Tree, Tree)
}

actor Counter {
    private var value = 0
    func increase() { value += 1 }
}

func max<T>(_ a: T, _ b: T) -> T where T: Comparable {
    a > b ? a : b
}

#if DEBUG
func dump() {}
#endif
