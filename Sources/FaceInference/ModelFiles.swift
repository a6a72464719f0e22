/// The files that faces are found with, all compared with their digests before any of them is used.
///
/// They are read before the library is loaded: the dynamic linker may be busy with other libraries, and this needs none.
struct ModelFiles {
    /// The path of the LiteRT library.
    let library: String
    /// The model of the detector that is always there.
    let shortRangeDetector: AlignedMemory
    /// The landmark model, changed so that LiteRT can compile it.
    let landmarkModel: AlignedMemory
    private let directory: String

    init(directory: String) throws(InferenceError) {
        let pinned = try PinnedFile.library()
        try pinned.check(in: directory)
        library = directory + "/" + pinned.name
        shortRangeDetector = try PinnedFile.shortRangeDetector.load(from: directory)
        landmarkModel = try PinnedFile.landmarkModel.load(from: directory)
        let memory = UnsafeMutableRawBufferPointer(start: landmarkModel.base, count: landmarkModel.count)
        let names = CustomOperators.names
        guard OperatorVersionPatch.apply(to: memory, operators: names) == names.count else {
            throw .unexpectedModel(model: PinnedFile.landmarkModel.name, reason: "it has other custom operators")
        }
        try PinnedFile.fullRangeDetector.check(in: directory)
        self.directory = directory
    }

    /// Maps the model of the detector that is compiled when it is first needed.
    func fullRangeDetector() throws(InferenceError) -> AlignedMemory {
        try PinnedFile.fullRangeDetector.load(from: directory)
    }
}
