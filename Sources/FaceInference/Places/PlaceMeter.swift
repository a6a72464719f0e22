/// Tells whether the place where a face was last seen still shows a person, without recognising whom.
///
/// It remembers the empty room from a moment without people, and measures how much of the place differs from it. If no
/// empty room is known, it compares the clothes with those last seen there; if they do not match, a model that outlines
/// people decides. All data stay in memory. It takes the frames of one source, in order, from one thread at a time.
package final class PlaceMeter {
    // Tuned on half of the scenes of `benchmark hold`; docs/accuracy.md has the results for the other half.

    /// The intervals between readings, in seconds. Without people: `empty` until the empty room is known, then `known`.
    /// While all people are seen: `new` for `firstReadings`, then `seen`. While a person is not seen: `unseen`.
    private static let pauses = (empty: 1.0, known: 4.0, new: 1.0, seen: 6.0, unseen: 0.5)
    private static let firstReadings = 4
    /// The thresholds, in levels of 0…255, above which a cell differs from the empty room and from the last reading.
    private static let difference: Float = 26
    private static let change: Float = 10
    /// The minimum fraction of a place that differs from the empty room if a person is there. If the person moves, at
    /// least `moved` of the place changes between readings.
    private static let occupied = 0.15
    private static let moved = 0.005
    /// The minimum coverage of a place by an outline to assume a person. `clothes`: the minimum similarity of clothes.
    private static let outline = 0.3
    private static let clothes = 0.6
    /// The minimum fraction of a head's place that must show a person for a head to be assumed there.
    private static let head = 0.5
    /// The number of readings without a face after which everything in view is learnt as the empty room, even a person
    /// who faces away from the camera. Before that, only small changes are learnt.
    private static let readingsUntilAll = 16
    /// The fraction of the background that must change to mean another scene. If the background is less than
    /// `leastBeside` of the picture, the whole picture is compared.
    private static let otherScene = 0.5
    private static let leastBeside = 0.05
    /// The minimum fraction of a place that other people must leave visible for the place to be judged.
    private static let leastFree = 0.4
    /// The minimum number of cells of a place for the place to be judged.
    private static let leastCells = 30
    /// How long the model that outlines people stays loaded without use, in seconds.
    private static let outlineLifetime = 60.0

    private let options: FaceAnalyzer.Options
    private let workspace = PlaceColors.Workspace()
    private var colors = PlaceColors()
    private var previous = PlaceColors()
    private var room: PlaceColors?
    private var places = [Place](repeating: .background, count: PlaceColors.count)
    private var gain = SIMD4<Float>(repeating: 1)
    private var readAt: Double?
    /// The number of people seen, and how many readings in a row have had this number and no unseen person.
    private var people = (count: 0, readings: 0)
    private var emptyReadings = 0
    private var replacedAt = -Double.infinity
    private var outline: (model: PersonOutline, usedAt: Double)?
    private var lastError: InferenceError?

    /// What a cell belongs to: the background, a person who is seen, or one who is not seen but may be there.
    private enum Place { case background, seen, unseen }

    package init(_ options: FaceAnalyzer.Options) { self.options = options }

    /// Whether a frame of this media time, in seconds, must be read in full for a request. Readings are rare while no
    /// person is there, and more frequent while a person who is there is not seen.
    package func isDue(_ request: PlaceRequest, at time: Double) -> Bool {
        guard let readAt, time >= readAt, request.queries.isEmpty, !request.comparesClothes else { return true }
        let pauses = Self.pauses
        let beside = people.readings < Self.firstReadings ? pauses.new : pauses.seen
        let alone = room == nil ? pauses.empty : pauses.known
        let pause = request.isEmpty ? alone : request.hasUnseen ? pauses.unseen : beside
        return time - readAt >= pause - 0.01
    }

    /// Reads a frame, and adds clothes' colours to `observations`. Returns for each track in `request.queries` whether
    /// the place where its face was last seen is empty, covered, or shows a person.
    package func answer(
        _ request: PlaceRequest,
        in frame: Frame,
        _ observations: inout [FaceObservation]
    ) -> [Int: PlaceReading] {
        read(frame, seen: observations.map(\.bounds), unseen: request.unseen)
        for index in observations.indices where !observations[index].isCarriedOver {
            observations[index].clothes = clothes(below: observations[index].bounds)
        }
        // A person who goes where faces are ignored counts as having left.
        let queries = request.queries.filter { query in !options.ignored.contains { $0.contains(query.bounds.center) } }
        return Dictionary(uniqueKeysWithValues: queries.map { ($0.track, reading(of: $0, in: frame)) })
    }

    /// Reads a frame. `seen` are the bounds of faces in it, `unseen` the last bounds of people who may still be there.
    func read(_ frame: Frame, seen: [NormalizedRect], unseen: [NormalizedRect]) {
        let time = frame.stamp.mediaTime
        if let readAt, time < readAt { beginScene(at: -.infinity) }
        swap(&previous, &colors)
        guard colors.sample(frame, workspace) else {
            swap(&previous, &colors)
            return
        }
        defer { readAt = time }
        let areSame = !seen.isEmpty && unseen.isEmpty && seen.count == people.count
        people = (seen.count, areSame ? people.readings + 1 : 0)
        for index in places.indices { places[index] = .background }
        mark(unseen, .unseen)
        mark(seen, .seen)
        if readAt != nil, isOtherScene(than: previous) { beginScene(at: time) }
        if let room, isOtherScene(than: room) { self.room = nil }
        gain = room?.gain(to: colors, workspace) { [places] in places[$0] == .background } ?? .one
        emptyReadings = seen.isEmpty && unseen.isEmpty ? emptyReadings + 1 : 0
        if emptyReadings > 1 {
            // The previous reading is learnt, so that a person who is coming in does not become part of the empty room.
            let limit = emptyReadings > Self.readingsUntilAll ? .infinity : Self.difference
            if room == nil { room = previous } else { room?.approach(previous, gain: gain, limit: limit) }
        }
        if let outline, time - outline.usedAt > Self.outlineLifetime { self.outline = nil }
    }

    private func beginScene(at time: Double) {
        room = nil
        emptyReadings = 0
        replacedAt = time
    }

    /// Returns whether the place of an unseen face is empty, covered, or shows a person in `frame`, read just before.
    func reading(of query: PlaceQuery, in frame: Frame) -> PlaceReading {
        let found = count(in: query.bounds.headAndShoulders)
        guard query.lastSeen >= replacedAt, found.all >= Self.leastCells else { return .empty }
        guard Double(found.free) >= Self.leastFree * Double(found.all) else { return .covered }
        guard room != nil else {
            let (head, body) = showsClothes(of: query) ? (0, 1) : outlined(query.bounds, in: frame)
            return max(head, body) >= Self.outline ? .person(moved: found.hasMoved, head: head >= Self.head) : .empty
        }
        if found.isOccupied {
            let head = count(in: query.bounds.around(widths: 0.6, heights: -0.7...0.5))
            return .person(moved: found.hasMoved, head: Double(head.differing) >= Self.head * Double(max(head.free, 1)))
        }
        // A person who bends down is below this part.
        let below = count(in: query.bounds.around(widths: 1.6, heights: 2.1...5))
        let isOccupied = below.free >= Self.leastCells && below.isOccupied
        return isOccupied ? .person(moved: below.hasMoved, head: false) : .empty
    }

    /// The numbers of a place's cells: all, those that seen people leave free, and of the free cells those that changed
    /// since the last reading and those that differ from the empty room.
    private struct Count {
        var (all, free, changed, differing) = (0, 0, 0, 0)
        var hasMoved: Bool { Double(changed) >= PlaceMeter.moved * Double(free) }
        var isOccupied: Bool { Double(differing) >= PlaceMeter.occupied * Double(free) }
    }

    private func count(in place: NormalizedRect) -> Count {
        var count = Count()
        PlaceColors.forEachCell(of: place) { index in
            count.all += 1
            guard places[index] != .seen else { return }
            count.free += 1
            if previous.differs(index, from: colors, gain: .one, limit: Self.change) { count.changed += 1 }
            if room?.differs(index, from: colors, gain: gain, limit: Self.difference) == true { count.differing += 1 }
        }
        return count
    }

    /// Returns the colours below a face in the last frame, in the empty room's light if known; nil if few are visible.
    func clothes(below bounds: NormalizedRect) -> ClothesColors? {
        var clothes = ClothesColors()
        PlaceColors.forEachCell(of: bounds.around(widths: 0.7, heights: 0.9...2.1)) { index in
            let color = SIMD4<Float>(colors.cells[index]) / gain
            clothes.add(red: color.x, green: color.y, blue: color.z)
        }
        return clothes.total >= Float(Self.leastCells) ? clothes : nil
    }

    /// Returns, once, the reason why the model that outlines people cannot be used. Places are then judged without it.
    package func drainError() -> InferenceError? { exchange(&lastError, with: nil) }

    private func showsClothes(of query: PlaceQuery) -> Bool {
        guard let worn = query.clothes, let now = clothes(below: query.bounds) else { return false }
        return worn.similarity(to: now) >= Self.clothes
    }

    private var hasFailed = false

    /// Returns the fractions of a head's and a body's place that a person's outline covers; 0 if there is no model.
    private func outlined(_ bounds: NormalizedRect, in frame: Frame) -> (head: Double, body: Double) {
        guard !hasFailed else { return (0, 0) }
        do throws(InferenceError) {
            let model =
                if let outline { outline.model } else { try PersonOutline(modelDirectory: options.modelDirectory) }
            outline = (model, frame.stamp.mediaTime)
            let last = PlaceColors.side - 1
            return try model.coverage(of: bounds, in: frame) { point in
                let (column, row) = (Int(point.x * Double(last) + 0.5), Int(point.y * Double(last) + 0.5))
                return places[row * PlaceColors.side + column] != .seen
            }
        } catch {
            hasFailed = true
            lastError = error
            return (0, 0)
        }
    }

    private func mark(_ faces: [NormalizedRect], _ whose: Place) {
        for face in faces { PlaceColors.forEachCell(of: face.headAndShoulders) { places[$0] = whose } }
    }

    /// Whether most of the background, or of the whole picture if people fill it, differs from the picture `earlier`.
    private func isOtherScene(than earlier: PlaceColors) -> Bool {
        let beside = places.count { $0 == .background }
        let isFull = Double(beside) < Self.leastBeside * Double(PlaceColors.count)
        func mostDiffers(_ gain: SIMD4<Float>) -> Bool {
            var count = 0
            var differing = 0
            for index in stride(from: 0, to: PlaceColors.count, by: 5) where isFull || places[index] == .background {
                count += 1
                if earlier.differs(index, from: colors, gain: gain, limit: Self.difference) { differing += 1 }
            }
            return Double(differing) > Self.otherScene * Double(count)
        }
        // The light is only measured if needed, since that takes as long as the rest.
        return mostDiffers(.one)
            && mostDiffers(earlier.gain(to: colors, workspace) { [places] in isFull || places[$0] == .background })
    }
}
