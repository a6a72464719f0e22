import CLiteRT
import System

/// The loaded LiteRT library with its environment and the model files, shared by all analyzers of a process. Compiled
/// models must not outlive it.
///
/// `@unchecked Sendable` because after `init` only LiteRT's environment changes, and only while a model is compiled
/// with `compiling` locked.
package final class LiteRT: @unchecked Sendable {
    /// The bytes of the models that are always needed.
    private let models: [PinnedFile: AlignedMemory]
    private let directory: String
    let functions: UnsafePointer<LiteRtFunctions>
    let environment: LiteRtEnvironment
    // The value has a size, because the thread sanitizer takes access to an empty one for access to what follows it.
    let compiling = Mutex(false)

    /// The LiteRT libraries by directory, held weakly: each closure returns its library while that is in use, else nil.
    private static let loaded = Mutex<[String: @Sendable () -> LiteRT?]>([:])

    /// Returns the library and the models of a directory, and loads them if they are not in use yet.
    package static func shared(in directory: String) throws(InferenceError) -> LiteRT {
        try loaded.withLock { loaded throws(InferenceError) in
            if let known = loaded[directory]?() { return known }
            let fresh = try LiteRT(directory)
            loaded[directory] = { [weak fresh] in fresh }
            return fresh
        }
    }

    private init(_ directory: String) throws(InferenceError) {
        // The files are checked before the library is loaded, because another thread may keep the dynamic linker busy.
        let library = try PinnedFile.library()
        try library.check(in: directory)
        let faceDetector = try PinnedFile.faceDetector.load(from: directory)
        let landmarkModel = try PinnedFile.landmarkModel.load(from: directory)
        CustomOperator.patchVersions(in: landmarkModel)
        models = [.faceDetector: faceDetector, .landmarkModel: landmarkModel]
        let path = directory + "/" + library.name
        var reason: UnsafePointer<CChar>?
        guard let functions = LiteRtFunctionsLoad(path.fileName, &reason) else {
            let text = reason.map { String(cString: $0) } ?? "the dynamic linker gives no reason"
            throw .libraryNotLoaded(path: path, reason: text)
        }
        // Without the first option LiteRT tries to open GPU libraries and complains about each.
        let options = [
            Self.option(LITERT_ENVIRONMENT_ACCELERATORS, LITERT_ACCELERATOR_CPU),
            Self.option(LITERT_ENVIRONMENT_LOG_SEVERITY, LITERT_LOG_ERROR),
        ]
        var environment: LiteRtEnvironment?
        let status = functions.pointee.create_environment(Int32(options.count), options, &environment)
        guard status == LITERT_STATUS_OK, let environment else {
            free(UnsafeMutableRawPointer(mutating: functions))
            throw .liteRT(operation: "prepare", model: path, status: status)
        }
        self.directory = directory
        self.functions = functions
        self.environment = environment
    }

    deinit {
        functions.pointee.destroy_environment(environment)
        free(UnsafeMutableRawPointer(mutating: functions))
    }

    /// Returns a model's bytes, which the caller must keep as long as a compiled model uses them.
    func bytes(of model: PinnedFile) throws(InferenceError) -> AlignedMemory {
        if let bytes = models[model] { return bytes }
        return try model.load(from: directory)
    }

    private static func option(_ tag: Int32, _ value: Int32) -> LiteRtEnvOption {
        LiteRtEnvOption(tag: tag, value: LiteRtAny(type: LITERT_ANY_INT, value: .init(integer: Int64(value))))
    }
}

extension LiteRtLayout {
    mutating func setDimensions(_ shape: [Int32]) {
        rank_and_flags = UInt32(shape.count)
        withUnsafeMutableBytes(of: &dimensions) { target in shape.withUnsafeBytes { target.copyMemory(from: $0) } }
    }
}
